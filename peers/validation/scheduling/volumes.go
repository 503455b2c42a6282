package main

// Generates the storage of random clusters, and pods that use it.

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// volumes is the storage of a cluster.
type volumes struct {
	Claims      []*v1.PersistentVolumeClaim   `json:"claims,omitempty"`
	Volumes     []*v1.PersistentVolume        `json:"volumes,omitempty"`
	Classes     []*storage.StorageClass       `json:"classes,omitempty"`
	CSINodes    []*storage.CSINode            `json:"csiNodes,omitempty"`
	CSIDrivers  []*storage.CSIDriver          `json:"csiDrivers,omitempty"`
	Capacities  []*storage.CSIStorageCapacity `json:"capacities,omitempty"`
	Attachments []*storage.VolumeAttachment   `json:"attachments,omitempty"`
}

const (
	driver = "fast.example.com"
	other  = "other.example.com"
	ebs    = "kubernetes.io/aws-ebs"
)

var classNames = []string{"fast", "fast", "fast", "local", "local", "now", "ebs"}

func (v *volumes) objects() []runtime.Object {
	return slices.Concat(
		asObjects(v.Claims), asObjects(v.Volumes), asObjects(v.Classes), asObjects(v.CSINodes),
		asObjects(v.CSIDrivers), asObjects(v.Capacities), asObjects(v.Attachments),
	)
}

func asObjects[T runtime.Object](all []T) []runtime.Object {
	objects := make([]runtime.Object, len(all))
	for i, one := range all {
		objects[i] = one
	}
	return objects
}

// clusterWithVolumes returns a cluster whose nodes have room, so that volumes decide.
func (g generator) clusterWithVolumes() *cluster {
	c := g.cluster()
	for _, node := range c.Nodes {
		node.Spec.Unschedulable, node.Spec.Taints = false, nil
		node.Labels[v1.LabelTopologyZone] = g.one("x", "y", "z")
		if g.chance(15) {
			delete(node.Labels, v1.LabelTopologyZone)
		}
		node.Status.Allocatable[v1.ResourcePods] = resource.MustParse(g.one("4", "6", "8"))
		node.Status.Allocatable[v1.ResourceCPU] = resource.MustParse("8")
		node.Status.Allocatable[v1.ResourceMemory] = resource.MustParse("16Gi")
	}
	c.volumes = &volumes{}
	c.Classes = g.classes()
	for n := range g.IntN(10) {
		c.Volumes = append(c.Volumes, g.volume(n, c.Nodes))
	}
	for _, namespace := range []string{"a", "b", "c"} {
		for n := range 4 {
			if g.chance(94) {
				c.Claims = append(c.Claims, g.claim(fmt.Sprintf("claim-%d", n+1), namespace, c))
			}
		}
	}
	g.csi(c)
	for _, pod := range c.Pods {
		pod.Spec.Affinity = nil
		if g.chance(50) {
			pod.Spec.Volumes = g.podVolumes(pod, c, 1)
		}
	}
	if g.chance(75) {
		c.Pod.Spec.Affinity, c.Pod.Spec.TopologySpreadConstraints, c.Pod.Spec.NodeSelector = nil, nil, nil
	}
	c.Pod.Spec.Volumes = g.podVolumes(c.Pod, c, 3)
	return c
}

func (g generator) classes() []*storage.StorageClass {
	class := func(name, provisioner string, mode storage.VolumeBindingMode) *storage.StorageClass {
		return &storage.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode}
	}
	classes := []*storage.StorageClass{
		class("fast", driver, storage.VolumeBindingWaitForFirstConsumer),
		class("local", "kubernetes.io/no-provisioner", storage.VolumeBindingWaitForFirstConsumer),
		class("now", driver, storage.VolumeBindingImmediate),
		class("ebs", ebs, storage.VolumeBindingWaitForFirstConsumer),
	}
	if g.chance(40) {
		requirement := v1.TopologySelectorLabelRequirement{Key: "zone", Values: g.some(2, "x", "y", "z")}
		term := v1.TopologySelectorTerm{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{requirement}}
		classes[0].AllowedTopologies = []v1.TopologySelectorTerm{term}
	}
	if g.chance(10) {
		classes = append(classes[:1], classes[2:]...) // the claims of the class without a provisioner stay
	}
	return classes
}

// volume returns a volume whose size no other one has.
func (g generator) volume(n int, nodes []node) *v1.PersistentVolume {
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pv-%d", n+1), Labels: map[string]string{"disk": g.one("ssd", "hdd")}}}
	if g.chance(25) {
		volume.Labels[g.one(v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone)] = g.one("x", "y", "x__y", "")
	}
	size := resource.MustParse(fmt.Sprintf("%dMi", 100*(1+g.IntN(9))+n))
	volume.Spec = v1.PersistentVolumeSpec{
		Capacity: v1.ResourceList{v1.ResourceStorage: size}, StorageClassName: g.one(classNames...), AccessModes: g.modes(),
	}
	switch {
	case g.chance(60):
		volume.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: g.one(driver, driver, other), VolumeHandle: volume.Name}
	case g.chance(50):
		volume.Spec.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: g.one("vol-1", "aws://x/vol-1", "vol-2")}
	default:
		volume.Spec.HostPath = &v1.HostPathVolumeSource{Path: "/v"}
	}
	if g.chance(10) {
		volume.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	}
	if g.chance(50) {
		requirement := v1.NodeSelectorRequirement{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: g.some(2, "x", "y", "z")}
		if g.chance(40) {
			requirement.Key, requirement.Values = v1.LabelHostname, []string{nodes[g.IntN(len(nodes))].Name}
		}
		terms := []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{requirement}}}
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
	}
	volume.Status.Phase = v1.VolumeAvailable
	if g.chance(10) {
		volume.Status.Phase = v1.VolumeReleased
	}
	if g.chance(5) {
		g.end(&volume.ObjectMeta)
	}
	return volume
}

func (g generator) modes() []v1.PersistentVolumeAccessMode {
	switch {
	case g.chance(15):
		return []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
	case g.chance(30):
		return []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadOnlyMany}
	}
	return []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
}

// end marks an object as one that is being deleted.
func (g generator) end(meta *metav1.ObjectMeta) {
	meta.DeletionTimestamp, meta.Finalizers = ptr.To(metav1.NewTime(start)), []string{"example.com/held"}
}

// claim returns a claim that may be bound to, or reserved for, a volume of the cluster.
func (g generator) claim(name, namespace string, c *cluster) *v1.PersistentVolumeClaim {
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID(namespace + "-" + name), Annotations: map[string]string{}}
	claim := &v1.PersistentVolumeClaim{ObjectMeta: meta}
	claim.Spec.StorageClassName, claim.Spec.AccessModes = ptr.To(g.one(classNames...)), g.modes()[:1]
	size := resource.MustParse(fmt.Sprintf("%dMi", 100*(1+g.IntN(9))))
	claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: size}
	claim.Status.Phase = v1.ClaimPending
	reference := &v1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: name, UID: claim.UID}
	switch {
	case g.chance(55) && len(c.Volumes) > 0:
		volume := c.Volumes[g.IntN(len(c.Volumes))]
		if volume.Spec.ClaimRef != nil {
			break
		}
		volume.Spec.ClaimRef, volume.Status.Phase = reference, v1.VolumeBound
		if g.chance(15) { // a user has reserved it
			volume.Spec.ClaimRef.UID, volume.Spec.StorageClassName = "", *claim.Spec.StorageClassName
			break
		}
		claim.Spec.VolumeName, claim.Spec.StorageClassName = volume.Name, &volume.Spec.StorageClassName
		if g.chance(90) {
			claim.Annotations["pv.kubernetes.io/bind-completed"], claim.Status.Phase = "yes", v1.ClaimBound
		}
	case g.chance(8):
		claim.Spec.VolumeName, claim.Annotations["pv.kubernetes.io/bind-completed"] = "gone", "yes"
		claim.Status.Phase = v1.PersistentVolumeClaimPhase(g.one(string(v1.ClaimBound), string(v1.ClaimLost)))
	case g.chance(20):
		claim.Annotations["volume.kubernetes.io/selected-node"] = c.Nodes[g.IntN(len(c.Nodes))].Name
	case g.chance(20):
		claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"disk": g.one("ssd", "hdd")}}
	}
	if g.chance(2) {
		g.end(&claim.ObjectMeta)
	}
	return claim
}

// csi adds what the drivers and the nodes report about volumes.
func (g generator) csi(c *cluster) {
	for _, node := range c.Nodes {
		if g.chance(25) {
			continue
		}
		one := &storage.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		for _, name := range []string{driver, "ebs.csi.aws.com"} {
			if g.chance(80) {
				reported := storage.CSINodeDriver{Name: name, NodeID: node.Name}
				if g.chance(75) {
					reported.Allocatable = &storage.VolumeNodeResources{Count: ptr.To(int32(g.IntN(4)))}
				}
				one.Spec.Drivers = append(one.Spec.Drivers, reported)
			}
		}
		c.CSINodes = append(c.CSINodes, one)
	}
	if g.chance(50) {
		one := &storage.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}}
		one.Spec.StorageCapacity, one.Spec.PreventPodSchedulingIfMissing = ptr.To(g.chance(60)), ptr.To(g.chance(50))
		c.CSIDrivers = append(c.CSIDrivers, one)
	}
	for n := range g.IntN(4) {
		size := resource.MustParse(g.one("200Mi", "500Mi", "2Gi"))
		meta := metav1.ObjectMeta{Name: fmt.Sprintf("capacity-%d", n+1), Namespace: "a"}
		one := &storage.CSIStorageCapacity{ObjectMeta: meta, StorageClassName: g.one("fast", "now"), Capacity: &size}
		if g.chance(85) {
			one.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{"zone": g.one("x", "y", "z")}}
		}
		if g.chance(25) {
			one.MaximumVolumeSize = ptr.To(resource.MustParse("300Mi"))
		}
		c.Capacities = append(c.Capacities, one)
	}
	for n := range g.IntN(3) {
		if len(c.Volumes) == 0 {
			break
		}
		volume := c.Volumes[g.IntN(len(c.Volumes))].Name
		source := storage.VolumeAttachmentSource{PersistentVolumeName: &volume}
		spec := storage.VolumeAttachmentSpec{Attacher: driver, NodeName: c.Nodes[g.IntN(len(c.Nodes))].Name, Source: source}
		meta := metav1.ObjectMeta{Name: fmt.Sprintf("attachment-%d", n+1)}
		c.Attachments = append(c.Attachments, &storage.VolumeAttachment{ObjectMeta: meta, Spec: spec})
	}
}

// podVolumes returns one to `most` volumes of a pod.
func (g generator) podVolumes(pod *v1.Pod, c *cluster, most int) []v1.Volume {
	var list []v1.Volume
	for n := range 1 + g.IntN(most) {
		list = append(list, v1.Volume{Name: fmt.Sprintf("v%d", n+1), VolumeSource: g.source(pod, fmt.Sprintf("v%d", n+1), c)})
	}
	return list
}

func (g generator) source(pod *v1.Pod, name string, c *cluster) v1.VolumeSource {
	readOnly := g.chance(50)
	switch {
	case g.chance(8):
		return v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}
	case g.chance(10):
		return v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: g.one("d1", "d2"), ReadOnly: readOnly}}
	case g.chance(10):
		return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: g.one("vol-1", "vol-2", "vol-3")}}
	case g.chance(4):
		return v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{TargetPortal: "10.0.0.1", IQN: g.one("iqn1", "iqn2"), ReadOnly: readOnly}}
	case g.chance(4):
		return v1.VolumeSource{RBD: &v1.RBDVolumeSource{CephMonitors: g.some(2, "m1", "m2", "m3"), RBDPool: "p", RBDImage: g.one("i1", "i2"), ReadOnly: readOnly}}
	case g.chance(8):
		g.ephemeral(pod, name, c)
		return v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{}}}
	}
	claim := v1.PersistentVolumeClaimVolumeSource{ClaimName: g.one("claim-1", "claim-2", "claim-3", "claim-4")}
	return v1.VolumeSource{PersistentVolumeClaim: &claim}
}

// ephemeral adds the claim of an ephemeral volume. The claim of the pod to schedule may be missing, or belong to another.
func (g generator) ephemeral(pod *v1.Pod, name string, c *cluster) {
	isScheduled := pod.Spec.NodeName != ""
	if !isScheduled && g.chance(15) {
		return
	}
	claim := g.claim(pod.Name+"-"+name, pod.Namespace, c)
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}
	if !isScheduled && g.chance(10) {
		owner.UID = "another"
	}
	claim.OwnerReferences = []metav1.OwnerReference{owner}
	c.Claims = append(c.Claims, claim)
}
