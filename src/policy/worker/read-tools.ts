import { approvalWords } from '#domain/policy/verdict.ts'
import type { ToolSetting } from '../worker-definition.ts'
import { checkOneReason, readConsent } from '../reading/read-consent.ts'
import {
  isMapAt,
  readEntries,
  readFields,
  scalarOf,
  fieldSource,
  wrong,
  type YamlField,
} from '../reading/yaml-field.ts'
import { readBoolean, readText } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { toolSetting } from '../schema/worker-file.ts'

/** Reads `tools`: `slack_notify: {}` is enough to give a worker the tool. */
export function readTools(field: YamlField): Map<string, ToolSetting> {
  const tools = new Map<string, ToolSetting>()
  for (const [name, value] of readEntries(field)) {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/.test(name)) {
      wrong(value, 'is not the name of a tool', 'use letters, digits, "_" and "-"')
      continue
    }
    tools.set(name, readTool(value))
  }
  return tools
}

function readTool(field: YamlField): ToolSetting {
  const nothing = { consent: null, manual: false, source: fieldSource(field) }
  if (scalarOf(field) === null) return nothing
  // The forms of an MCP server's tools: one word, or `{ blocked: "reason" }`.
  if (!isMapAt(field) || readEntries(field).some(([key]) => key === 'blocked')) {
    return { ...nothing, consent: readConsent(field, approvalWords, null) }
  }
  const fields = readFields(field, keysOf(toolSetting))
  if (fields === null) return nothing
  const reasonField = fields.get('reason')
  const reason = reasonField === null ? null : readText(reasonField)
  const approval = fields.get('approval')
  checkOneReason(approval, reasonField)
  return {
    consent: approval === null ? null : readConsent(approval, approvalWords, reason),
    manual: fields.read('manual', readBoolean, false) === true,
    source: nothing.source,
  }
}
