// Reads manifests from standard input as an API server of Kubernetes does, and writes them as a JSON list to standard output.
//
// It refuses fields that the objects do not have, values of another type, and names given twice; and pods that the Pod Security
// Standard "restricted" does not admit. Objects of other APIs, such as Prometheus Operator's, are passed on as they are.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	sigsyaml "sigs.k8s.io/yaml"
)

func main() {
	objects, err := read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(objects); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(input io.Reader) ([]json.RawMessage, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return nil, err
	}
	objects := []json.RawMessage{}
	problems := []error{}
	documents := yaml.NewYAMLReader(bufio.NewReader(input))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, errors.Join(problems...)
		}
		if err != nil {
			return nil, err
		}
		text, err := sigsyaml.YAMLToJSONStrict(document)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		// What a template left empty.
		if string(text) == "null" {
			continue
		}
		objects = append(objects, text)
		var kind metav1.TypeMeta
		if err := json.Unmarshal(text, &kind); err == nil && kind.GroupVersionKind().Group == "monitoring.coreos.com" {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", kind.Kind, err))
			continue
		}
		problems = append(problems, refusals(evaluator, object)...)
	}
}

// refusals says why the pods of a workload would not be admitted.
func refusals(evaluator policy.Evaluator, object runtime.Object) []error {
	var template corev1.PodTemplateSpec
	switch workload := object.(type) {
	case *appsv1.Deployment:
		template = workload.Spec.Template
	case *appsv1.StatefulSet:
		template = workload.Spec.Template
	default:
		return nil
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	found := []error{}
	for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
		if !result.Allowed {
			found = append(found, fmt.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail))
		}
	}
	return found
}
