{{- define "countersign.labels" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/component: {{ .component }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "countersign.selector" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "countersign.name" -}}
{{- printf "%s-%s" .root.Release.Name .component | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "countersign.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}

{{/* One variable from the Secret. */}}
{{- define "countersign.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .root.Values.secret }}, key: {{ .name }}{{ if .optional }}, optional: true{{ end }} }
{{- end }}

{{/* What API and Temporal workers have in common. */}}
{{- define "countersign.environment" -}}
{{ include "countersign.secretVariable" (dict "root" . "name" "DATABASE_URL") }}
{{ include "countersign.secretVariable" (dict "root" . "name" "COUNTERSIGN_SEAL_KEY") }}
{{ include "countersign.secretVariable" (dict "root" . "name" "COUNTERSIGN_PUBLIC_KEYS") }}
{{ include "countersign.secretVariable" (dict "root" . "name" "TEMPORAL_API_KEY" "optional" true) }}
- name: TEMPORAL_ADDRESS
  value: {{ required "set temporal.address to HOST:PORT of Temporal's frontend" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- if .Values.temporal.tls }}
- name: TEMPORAL_TLS
  value: '1'
{{- end }}
- name: COUNTERSIGN_PUBLIC_URL
  value: {{ required "set publicUrl to the https address of the ingress" .Values.publicUrl | quote }}
# The only folder besides /data that can be written.
- { name: COUNTERSIGN_CACHE, value: /tmp/countersign }
{{- end }}

{{- define "countersign.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
{{- end }}

{{- define "countersign.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "countersign.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
- name: project
  mountPath: /project
  {{- with .Values.project.subPath }}
  subPath: {{ . | quote }}
  {{- end }}
{{- end }}

{{- define "countersign.volumes" -}}
- name: tmp
  emptyDir: {}
- name: project
  persistentVolumeClaim: { claimName: {{ required "set project.claim to the claim that has the project folder" .root.Values.project.claim | quote }} }
{{- with .storage.claim }}
- name: data
  persistentVolumeClaim: { claimName: {{ . | quote }} }
{{- end }}
{{- end }}

{{/* A volume for each process, unless all share one claim. */}}
{{- define "countersign.dataClaims" -}}
{{- if not .claim }}
volumeClaimTemplates:
  - metadata: { name: data }
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .class }}
      storageClassName: {{ . | quote }}
      {{- end }}
      resources: { requests: { storage: {{ .size }} } }
{{- end }}
{{- end }}

{{- define "countersign.placing" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
