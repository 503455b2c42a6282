package main

// A part of kube-apiserver's validation of pods.

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodSpec checks containers and the restart policy, which is the part of kube-apiserver's validation that the
// recordings in fixtures/wire need.
func validatePodSpec(spec *corev1.PodSpec) field.ErrorList {
	path := field.NewPath("spec")
	var errs field.ErrorList
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	for i, container := range spec.Containers {
		errs = append(errs, validateContainer(container, path.Child("containers").Index(i))...)
	}
	policies := []corev1.RestartPolicy{corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}
	for _, policy := range policies {
		if spec.RestartPolicy == policy {
			return errs
		}
	}
	return append(errs, field.NotSupported(path.Child("restartPolicy"), spec.RestartPolicy, policies))
}

func validateContainer(container corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if container.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	} else {
		for _, message := range utilvalidation.IsDNS1123Label(container.Name) {
			errs = append(errs, field.Invalid(path.Child("name"), container.Name, message))
		}
	}
	if container.Image == "" {
		errs = append(errs, field.Required(path.Child("image"), ""))
	}
	return errs
}

const immutableMessage = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// validatePodUpdate allows changes of images, the deadline and tolerations. kube-apiserver's message also has a diff
// at its end.
func validatePodUpdate(spec, old *corev1.PodSpec) field.ErrorList {
	errs := validatePodSpec(spec)
	rest := spec.DeepCopy() // the spec without the changes that are allowed
	if len(rest.Containers) != len(old.Containers) {
		return append(errs, field.Forbidden(field.NewPath("spec", "containers"), "pod updates may not add or remove containers"))
	}
	for i := range rest.Containers {
		rest.Containers[i].Image = old.Containers[i].Image
	}
	rest.ActiveDeadlineSeconds, rest.Tolerations = old.ActiveDeadlineSeconds, old.Tolerations
	if !equality.Semantic.DeepEqual(rest, old) {
		errs = append(errs, field.Forbidden(field.NewPath("spec"), immutableMessage))
	}
	return errs
}
