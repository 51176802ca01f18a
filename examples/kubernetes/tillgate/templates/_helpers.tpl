{{- define "tillgate.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tillgate.signerName" -}}
{{ include "tillgate.fullname" . }}-signer
{{- end -}}

{{- /* The labels that select the pods of a component: (list . "till") */ -}}
{{- define "tillgate.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "tillgate.labels" -}}
{{- $root := index . 0 -}}
{{ include "tillgate.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tillgate.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The settings file of the till: the values, and what the chart itself decides. */ -}}
{{- define "tillgate.settings" -}}
{{- $own := dict
  "listen" (dict "host" .Values.listenHost "port" 8080 "trustedHops" (int .Values.trustedHops))
  "dataDir" "/var/lib/tillgate"
  "database" (dict "client" "pg") -}}
{{- if .Values.signer.enabled -}}
{{- $_ := set $own "signer" (dict
  "url" (printf "https://%s:8443" (include "tillgate.signerName" .))
  "caFile" "/run/secrets/tillgate-signer/ca.crt"
  "certFile" "/run/secrets/tillgate-signer/tls.crt"
  "keyFile" "/run/secrets/tillgate-signer/tls.key") -}}
{{- end -}}
{{- mergeOverwrite (deepCopy .Values.settings) $own | toPrettyJson -}}
{{- end -}}

{{- define "tillgate.signerSettings" -}}
{{- dict
  "listen" (dict
    "host" .Values.listenHost
    "port" 8443
    "caFile" "/run/secrets/tillgate-signer/ca.crt"
    "certFile" "/run/secrets/tillgate-signer/tls.crt"
    "keyFile" "/run/secrets/tillgate-signer/tls.key")
  "dataDir" "/var/lib/tillgate-signer"
  "mnemonicFile" "/run/secrets/tillgate-seed/seed"
  "chains" .Values.signer.chains | toPrettyJson -}}
{{- end -}}

{{- /* What both pods have; the argument is the number of the user. */ -}}
{{- define "tillgate.podSecurity" -}}
automountServiceAccountToken: false
# A Service of the name tillgate would otherwise set TILLGATE_PORT, which the till reads as its own.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "tillgate.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "tillgate.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
