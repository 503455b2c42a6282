package main

import (
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/pod-security-admission/api"
	"k8s.io/utils/ptr"
)

// generator makes random pods and labels. Each field that a check reads is set in some of them, to good and bad values.
type generator struct{ *rand.Rand }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

func one[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

// maybe returns one of the values, or nil.
func maybe[T any](g generator, percent int, of ...T) *T {
	if !g.chance(percent) {
		return nil
	}
	return ptr.To(one(g, of...))
}

func (g generator) pods(count int) []*corev1.Pod {
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		pods[i] = g.pod()
	}
	return pods
}

func (g generator) pod() *corev1.Pod {
	spec := corev1.PodSpec{
		HostNetwork: g.chance(10), HostPID: g.chance(10), HostIPC: g.chance(10),
		HostUsers:       maybe(g, 20, true, false),
		SecurityContext: g.ofPod(),
		Containers:      g.containers("c", 1+g.IntN(3)),
		InitContainers:  g.containers("i", g.IntN(2)),
		Volumes:         g.volumes(),
	}
	for _, container := range g.containers("e", max(0, g.IntN(4)-2)) {
		spec.EphemeralContainers = append(spec.EphemeralContainers, corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon(container)})
	}
	if g.chance(25) {
		spec.OS = &corev1.PodOS{Name: one(g, corev1.Linux, corev1.Windows, corev1.Windows)}
	}
	pod := &corev1.Pod{Spec: spec}
	pod.Name = "p"
	if g.chance(30) {
		pod.Annotations = g.annotations()
	}
	return pod
}

// annotations are those that chose profiles before there were fields for them.
func (g generator) annotations() map[string]string {
	annotations := map[string]string{}
	for range 1 + g.IntN(3) {
		key := one(g, "seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/c0",
			"container.seccomp.security.alpha.kubernetes.io/i0", "container.apparmor.security.beta.kubernetes.io/c0",
			"container.apparmor.security.beta.kubernetes.io/other")
		annotations[key] = one(g, "", "runtime/default", "docker/default", "unconfined", "localhost/x", "localhost", `a"b\`+"\n")
	}
	return annotations
}

func (g generator) ofPod() *corev1.PodSecurityContext {
	if g.chance(30) {
		return nil
	}
	context := &corev1.PodSecurityContext{
		RunAsNonRoot: maybe(g, 50, true, true, false), RunAsUser: maybe(g, 30, int64(0), 1000),
		SeccompProfile: g.seccomp(40), AppArmorProfile: g.appArmor(), SELinuxOptions: g.seLinux(), WindowsOptions: g.windows(),
	}
	for range max(0, g.IntN(5)-2) {
		name := one(g, "kernel.shm_rmid_forced", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_rmem",
			"net.ipv4.tcp_notsent_lowat", "kernel.msgmax", "net.core.somaxconn")
		context.Sysctls = append(context.Sysctls, corev1.Sysctl{Name: name, Value: "1"})
	}
	return context
}

func (g generator) seccomp(percent int) *corev1.SeccompProfile {
	if !g.chance(percent) {
		return nil
	}
	return &corev1.SeccompProfile{Type: one[corev1.SeccompProfileType](g, "RuntimeDefault", "Localhost", "Unconfined", "Other")}
}

func (g generator) appArmor() *corev1.AppArmorProfile {
	if !g.chance(15) {
		return nil
	}
	return &corev1.AppArmorProfile{Type: one[corev1.AppArmorProfileType](g, "RuntimeDefault", "Localhost", "Unconfined", "Other")}
}

func (g generator) seLinux() *corev1.SELinuxOptions {
	if !g.chance(20) {
		return nil
	}
	return &corev1.SELinuxOptions{
		Type: one(g, "", "container_t", "container_kvm_t", "container_engine_t", "spc_t", "other_t"),
		User: one(g, "", "", "system_u"), Role: one(g, "", "", "system_r"),
	}
}

func (g generator) windows() *corev1.WindowsSecurityContextOptions {
	if !g.chance(15) {
		return nil
	}
	return &corev1.WindowsSecurityContextOptions{HostProcess: maybe(g, 70, true, false)}
}

func (g generator) containers(prefix string, count int) []corev1.Container {
	var containers []corev1.Container
	for i := range count {
		container := corev1.Container{Name: prefix + string(rune('0'+i)), SecurityContext: g.ofContainer()}
		for range max(0, g.IntN(5)-3) {
			container.Ports = append(container.Ports, corev1.ContainerPort{ContainerPort: 80, HostPort: one[int32](g, 0, 80, 443, 9000)})
		}
		if g.chance(15) {
			container.LivenessProbe = &corev1.Probe{ProbeHandler: g.probe()}
		}
		if g.chance(15) {
			container.ReadinessProbe = &corev1.Probe{ProbeHandler: g.probe()}
		}
		if g.chance(15) {
			hook := corev1.LifecycleHandler{HTTPGet: g.probe().HTTPGet, TCPSocket: g.probe().TCPSocket}
			container.Lifecycle = one(g, &corev1.Lifecycle{PostStart: &hook}, &corev1.Lifecycle{PreStop: &hook})
		}
		containers = append(containers, container)
	}
	return containers
}

func (g generator) probe() corev1.ProbeHandler {
	host := one(g, "", "", "127.0.0.1", "example.com")
	return one(g,
		corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Host: host, Port: intstr.FromInt32(80)}},
		corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Host: host, Port: intstr.FromInt32(80)}},
		corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}})
}

func (g generator) ofContainer() *corev1.SecurityContext {
	if g.chance(25) {
		return nil
	}
	context := &corev1.SecurityContext{
		Privileged: maybe(g, 15, true, false), AllowPrivilegeEscalation: maybe(g, 70, false, false, true),
		RunAsNonRoot: maybe(g, 40, true, true, false), RunAsUser: maybe(g, 25, int64(0), 1000),
		ProcMount:      maybe(g, 15, corev1.DefaultProcMount, corev1.UnmaskedProcMount, "Other"),
		SeccompProfile: g.seccomp(40), AppArmorProfile: g.appArmor(), SELinuxOptions: g.seLinux(), WindowsOptions: g.windows(),
	}
	if g.chance(70) {
		context.Capabilities = &corev1.Capabilities{}
		if g.chance(80) {
			context.Capabilities.Drop = one(g, []corev1.Capability{"ALL"}, []corev1.Capability{"KILL", "ALL"}, []corev1.Capability{"KILL"})
		}
		for range max(0, g.IntN(4)-1) {
			context.Capabilities.Add = append(context.Capabilities.Add, one[corev1.Capability](g, "NET_BIND_SERVICE", "CHOWN", "SYS_ADMIN", "NET_RAW", "KILL"))
		}
	}
	return context
}

func (g generator) volumes() []corev1.Volume {
	var volumes []corev1.Volume
	for i := range g.IntN(4) {
		source := one(g,
			corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
			corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}},
			corev1.VolumeSource{Image: &corev1.ImageVolumeSource{}},
			corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}},
			corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}},
			corev1.VolumeSource{StorageOS: &corev1.StorageOSVolumeSource{}},
			corev1.VolumeSource{VsphereVolume: &corev1.VsphereVirtualDiskVolumeSource{}},
			corev1.VolumeSource{})
		volumes = append(volumes, corev1.Volume{Name: "v" + string(rune('0'+i)), VolumeSource: source})
	}
	return volumes
}

func (g generator) labels() map[string]string {
	labels := map[string]string{"team": "a"}
	for _, label := range []string{api.EnforceLevelLabel, api.AuditLevelLabel, api.WarnLevelLabel} {
		if g.chance(50) {
			labels[label] = one(g, "privileged", "baseline", "restricted", "restricted", "Baseline", "")
		}
	}
	for _, label := range []string{api.EnforceVersionLabel, api.AuditVersionLabel, api.WarnVersionLabel} {
		if g.chance(40) {
			labels[label] = one(g, "latest", "v1.24", "v1.0", "v1.99", "v1.02", "v1", "1.24", "v1.x", "")
		}
	}
	return labels
}
