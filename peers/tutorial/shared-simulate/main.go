// Command shared-simulate gives two handlers four pods each, side by side.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/processor"
)

// ANCHOR: main
// mySharedInformer is a shared informer without list and watch: each handler gets four pods that are made up for it.
type mySharedInformer struct{ processor processor.Processor }

func (m *mySharedInformer) addEventHandler(handler cache.ResourceEventHandler) {
	listener := m.processor.AddListener(handler)
	go func() {
		for number := range 4 {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod", number)}}
			listener.Add(processor.Added{New: pod})
		}
		listener.Close()
	}()
}

func print(message string) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { fmt.Println("OnAdd:"+message, object.(metav1.Object).GetName()) },
	}
}

func main() {
	var informer mySharedInformer
	informer.addEventHandler(print(""))
	informer.addEventHandler(print("second"))
	informer.processor.Run()
}

// ANCHOR_END: main
