package e2e

// client-go's leader election on the built-in cluster.

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"informer-lab/peers/e2e/harness"
)

func TestALeaderLeadsUntilItReleasesItsLeaseAndAnotherTakesOver(t *testing.T) {
	t.Parallel()
	client := harness.LabCluster(t).Client(t)
	first := campaign(t, client, "first")
	await(t, first.leads, "the first to lead")
	second := campaign(t, client, "second")
	await(t, second.seesAnother, "the second to see who leads")
	if holder, transitions := lease(t, client); holder != "first" || transitions != 0 {
		t.Errorf("the lease is held by %q after %d transitions", holder, transitions)
	}

	first.resign()
	await(t, first.ended, "the first to resign")
	await(t, second.leads, "the second to lead")
	if holder, transitions := lease(t, client); holder != "second" || transitions != 1 {
		t.Errorf("the lease is held by %q after %d transitions", holder, transitions)
	}
	second.resign()
	await(t, second.ended, "the second to resign")
	if holder, _ := lease(t, client); holder != "" {
		t.Errorf("the lease is held by %q after all have resigned", holder)
	}
}

// candidate is a candidate of a leader election. leads is closed when it becomes the leader, seesAnother when it sees
// another leader, and ended when it no longer takes part.
type candidate struct {
	leads, seesAnother, ended chan struct{}
	resign                    context.CancelFunc
}

func campaign(t *testing.T, client kubernetes.Interface, name string) candidate {
	t.Helper()
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, metav1.NamespaceDefault, "leader",
		client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
	if err != nil {
		t.Fatal(err)
	}
	ctx, resign := context.WithCancel(t.Context())
	c := candidate{leads: make(chan struct{}), seesAnother: make(chan struct{}), ended: make(chan struct{}), resign: resign}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: name, ReleaseOnCancel: true,
		LeaseDuration: harness.Patience, RenewDeadline: harness.Patience / 2, RetryPeriod: 50 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(c.leads) },
			OnStoppedLeading: func() {},
			OnNewLeader: func(leader string) {
				if leader != name {
					close(c.seesAnother)
				}
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		elector.Run(ctx)
		close(c.ended)
	}()
	return c
}

// lease returns the holder of the lease, and the number of its transitions.
func lease(t *testing.T, client kubernetes.Interface) (string, int32) {
	t.Helper()
	lease, err := client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(t.Context(), "leader", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if lease.Spec.HolderIdentity == nil || lease.Spec.LeaseTransitions == nil {
		t.Fatalf("the lease has no holder or no transitions: %v", lease.Spec)
	}
	return *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions
}

func await(t *testing.T, event <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(harness.Patience):
		t.Fatalf("timed out waiting for %s", what)
	}
}
