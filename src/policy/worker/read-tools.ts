import type { ToolSetting } from '../policy.ts'
import { checkOneReason, readConsent } from '../reading/read-consent.ts'
import { readEntries, readFields, scalarOf, spotSource, wrong, type Spot } from '../reading/spot.ts'
import { readBoolean, readText } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { toolSetting } from '../schema/worker-file.ts'

/** Reads `tools`: `slack_notify: {}` is enough to give a worker the tool. */
export function readTools(spot: Spot): Map<string, ToolSetting> {
  const tools = new Map<string, ToolSetting>()
  for (const [name, value] of readEntries(spot)) {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/.test(name)) {
      wrong(value, 'is not the name of a tool', 'use letters, digits, "_" and "-"')
      continue
    }
    tools.set(name, readTool(value))
  }
  return tools
}

function readTool(spot: Spot): ToolSetting {
  const nothing = { consent: null, manual: false, source: spotSource(spot) }
  if (scalarOf(spot) === null) return nothing
  const fields = readFields(spot, keysOf(toolSetting))
  if (fields === null) return nothing
  const reasonSpot = fields.get('reason')
  const reason = reasonSpot === null ? null : readText(reasonSpot)
  const approval = fields.get('approval')
  const manual = fields.get('manual')
  checkOneReason(approval, reasonSpot)
  return {
    consent:
      approval === null ? null : readConsent(approval, ['preApproved', 'ask', 'blocked'], reason),
    manual: manual !== null && readBoolean(manual) === true,
    source: nothing.source,
  }
}
