package main

// The general form of a strategy: the rules for creating, updating and deleting objects of a kind.

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/operation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// strategy says how objects of a kind are created, updated and deleted. Its functions may be nil.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	namespaced bool
	// createOnUpdate lets a PUT create a missing object. conditional requires a PUT to give the resourceVersion.
	createOnUpdate, conditional bool
	garbage                     rest.GarbageCollectionPolicy
	// validName checks names. It is nil for a kind whose metadata are not checked.
	validName apivalidation.ValidateNameFunc
	// anyFinalizer lets a finalizer have no domain.
	anyFinalizer bool
	// covered is the metadata that the validation of an update covers.
	covered       covered
	prepareCreate func(object runtime.Object)
	prepareUpdate func(object, old runtime.Object)
	canonicalize  func(object runtime.Object)
	validate      func(object runtime.Object) field.ErrorList
	// validateUpdate checks an update, apart from its metadata.
	validateUpdate func(object, old runtime.Object) field.ErrorList
	// resetFields are the fields that a write through this endpoint neither changes nor owns.
	resetFields []fieldpath.Path
}

// covered is the metadata that a kind's own validation of an update covers: the change, or all of it as of a new object.
type covered int

const (
	change covered = iota
	whole
	changeAndWhole
)

func newStrategy(scheme *runtime.Scheme) strategy {
	return strategy{
		ObjectTyper: scheme, NameGenerator: names.SimpleNameGenerator, namespaced: true, validName: apivalidation.NameIsDNSSubdomain,
		garbage: rest.DeleteDependents,
	}
}

func (s strategy) NamespaceScoped() bool { return s.namespaced }

func (s strategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	if s.prepareCreate != nil {
		s.prepareCreate(object)
	}
}

func (s strategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	if s.prepareUpdate != nil {
		s.prepareUpdate(object, old)
	}
}

func (s strategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	if s.validName != nil {
		errs = s.validateMetadata(accessor)
	}
	if s.validate != nil {
		errs = append(errs, s.validate(object)...)
	}
	return errs
}

func (s strategy) ValidateUpdate(_ context.Context, object, old runtime.Object) field.ErrorList {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	if s.validName != nil {
		if s.covered == whole {
			errs = s.validateMetadata(accessor)
		}
		errs = append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(accessor, before, field.NewPath("metadata"))...)
		errs = append(errs, s.validateFinalizers(accessor)...)
		if s.covered == changeAndWhole {
			errs = append(errs, s.validateMetadata(accessor)...)
		}
	}
	if s.validateUpdate != nil {
		errs = append(errs, s.validateUpdate(object, old)...)
	}
	return errs
}

// validateMetadata is ValidateObjectMeta of pkg/apis/core/validation.
func (s strategy) validateMetadata(metadata metav1.Object) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaAccessor(metadata, s.namespaced, s.validName, field.NewPath("metadata"))
	return append(errs, s.validateFinalizers(metadata)...)
}

// validateFinalizers is validateKubeFinalizerName of pkg/apis/core/validation.
func (s strategy) validateFinalizers(metadata metav1.Object) field.ErrorList {
	var errs field.ErrorList
	standard := []string{"kubernetes", metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	for i, name := range metadata.GetFinalizers() {
		if !s.anyFinalizer && !strings.Contains(name, "/") && !slices.Contains(standard, name) {
			at := field.NewPath("metadata", "finalizers").Index(i)
			errs = append(errs, field.Invalid(at, name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

// DeclarativeValidationConfig and ValidateDeclaratively stand for rest.DeclarativeValidation, which the strategies of all
// built-in kinds have: it removes equal errors. There are no declared rules here.
func (strategy) DeclarativeValidationConfig(context.Context, runtime.Object, runtime.Object) rest.DeclarativeValidationConfig {
	return rest.DeclarativeValidationConfig{}
}

func (strategy) ValidateDeclaratively(_ context.Context, _, _ runtime.Object, errs field.ErrorList, _ operation.Type, _ rest.DeclarativeValidationConfig) field.ErrorList {
	return errs.Filter()
}

func (s strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	reset := fieldpath.NewSet(s.resetFields...)
	return map[fieldpath.APIVersion]*fieldpath.Set{"v1": reset, "apps/v1": reset, "coordination.k8s.io/v1": reset}
}

func (s strategy) Canonicalize(object runtime.Object) {
	if s.canonicalize != nil {
		s.canonicalize(object)
	}
}

func (s strategy) AllowCreateOnUpdate(context.Context) bool      { return s.createOnUpdate }
func (s strategy) AllowUnconditionalUpdate(context.Context) bool { return !s.conditional }

func (s strategy) DefaultGarbageCollectionPolicy(context.Context) rest.GarbageCollectionPolicy {
	return s.garbage
}

func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
