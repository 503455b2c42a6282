package main

// The tracer's programs with informers, whose handlers print their notifications.

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

var handlers = cache.ResourceEventHandlerFuncs{
	AddFunc:    func(object any) { fmt.Println("OnAdd:", name(object)) },
	UpdateFunc: func(_, object any) { fmt.Println("OnUpdate:", name(object)) },
	DeleteFunc: func(object any) { fmt.Println("OnDelete:", name(object)) },
}

func informer(pods *cache.ListWatch) error {
	_, controller := cache.NewInformer(pods, &corev1.Pod{}, 0, handlers)
	saySyncedWhen(controller.HasSynced)
	controller.Run(make(chan struct{}))
	return nil
}

func shared(pods *cache.ListWatch) error {
	informer := cache.NewSharedInformer(pods, &corev1.Pod{}, 0)
	registration, err := informer.AddEventHandler(handlers)
	if err != nil {
		return err
	}
	saySyncedWhen(registration.HasSynced)
	informer.Run(make(chan struct{}))
	return nil
}

func name(object any) string {
	key, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		return err.Error()
	}
	return key.Name
}
