// Command shared-listener gives one handler four pods through a listener.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/processor"
)

// ANCHOR: main
func main() {
	listener := processor.NewListener(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { fmt.Println("OnAdd:", object.(metav1.Object).GetName()) },
	})
	go func() { // in place of list and watch
		for number := range 4 {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod", number)}}
			listener.Add(processor.Added{New: pod})
		}
		listener.Close()
	}()
	go listener.Pop()
	listener.Run()
}

// ANCHOR_END: main
