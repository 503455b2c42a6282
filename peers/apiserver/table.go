package main

// The columns of `kubectl get pods`.

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"informer-lab/peers/apiserver/core"
)

var metaDoc, specDoc, statusDoc = metav1.ObjectMeta{}.SwaggerDoc(), corev1.PodSpec{}.SwaggerDoc(), corev1.PodStatus{}.SwaggerDoc()

var podColumns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name", Description: metaDoc["name"]},
	{Name: "Ready", Type: "string", Description: "The aggregate readiness state of this pod for accepting traffic."},
	{Name: "Status", Type: "string", Description: "The aggregate status of the containers in this pod."},
	{Name: "Restarts", Type: "string", Description: "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."},
	{Name: "Age", Type: "string", Description: metaDoc["creationTimestamp"]},
	{Name: "IP", Type: "string", Priority: 1, Description: statusDoc["podIP"]},
	{Name: "Node", Type: "string", Priority: 1, Description: specDoc["nodeName"]},
	{Name: "Nominated Node", Type: "string", Priority: 1, Description: statusDoc["nominatedNodeName"]},
	{Name: "Readiness Gates", Type: "string", Priority: 1, Description: specDoc["readinessGates"]},
}

// podTable makes the table of pods for kubectl. It lacks init containers, reasons of containers, readiness gates and
// times of restarts, which the recordings in fixtures/wire do not need. Upstream:
// pkg/printers/internalversion/printers.go.
type podTable struct{}

func (podTable) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	table := &metav1.Table{Rows: []metav1.TableRow{}}
	if options, ok := options.(*metav1.TableOptions); !ok || !options.NoHeaders {
		table.ColumnDefinitions = podColumns
	}
	if list, err := meta.ListAccessor(object); err == nil {
		table.ResourceVersion, table.Continue, table.RemainingItemCount = list.GetResourceVersion(), list.GetContinue(), list.GetRemainingItemCount()
	} else if single, err := meta.CommonAccessor(object); err == nil {
		table.ResourceVersion = single.GetResourceVersion()
	}
	switch object := object.(type) {
	case *core.PodList:
		for i := range object.Items {
			table.Rows = append(table.Rows, podRow(&object.Items[i]))
		}
	case *core.Pod:
		table.Rows = append(table.Rows, podRow(object))
	default:
		return nil, fmt.Errorf("no table for %T", object)
	}
	return table, nil
}

func podRow(pod *core.Pod) metav1.TableRow {
	ready, restarts := 0, 0
	for _, container := range pod.Status.ContainerStatuses {
		restarts += int(container.RestartCount)
		if container.Ready && container.State.Running != nil {
			ready++
		}
	}
	age := "<unknown>"
	if !pod.CreationTimestamp.IsZero() {
		age = duration.HumanDuration(time.Since(pod.CreationTimestamp.Time))
	}
	cells := []any{
		pod.Name, fmt.Sprintf("%d/%d", ready, len(pod.Spec.Containers)), podReason(pod), strconv.Itoa(restarts), age,
		orNone(pod.Status.PodIP), orNone(pod.Spec.NodeName), orNone(pod.Status.NominatedNodeName), "<none>",
	}
	return metav1.TableRow{Cells: cells, Object: runtime.RawExtension{Object: pod}}
}

func podReason(pod *core.Pod) string {
	if pod.DeletionTimestamp != nil && pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded {
		return "Terminating"
	}
	if pod.Status.Reason != "" {
		return pod.Status.Reason
	}
	return string(pod.Status.Phase)
}

func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}
