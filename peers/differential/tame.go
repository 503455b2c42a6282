package main

// Keeps random objects from changing what the servers do with all other requests.

// tamed returns the value with webhooks and policies that match no request, and with flow schemas that match no user.
func tamed(of kind, value object) object {
	switch of.plural {
	case "mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicies", "mutatingadmissionpolicies":
		setAll(value, "apiGroups", []any{"nosuch.example.org"})
	case "flowschemas":
		setAll(value, "subjects", []any{object{"kind": "User", "user": object{"name": "nosuch"}}})
	case "priorityclasses":
		delete(value, "globalDefault") // the admission of pods learns of it some time later
	}
	return value
}

// setAll sets each field of this name that is a list.
func setAll(within any, name string, to []any) {
	switch within := within.(type) {
	case object:
		for field, value := range within {
			if _, isList := value.([]any); isList && field == name {
				within[field] = to
			} else {
				setAll(value, name, to)
			}
		}
	case []any:
		for _, item := range within {
			setAll(item, name, to)
		}
	}
}
