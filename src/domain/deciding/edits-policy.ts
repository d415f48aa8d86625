import { isCommandTool } from '../tools/built-in-tools.ts'
import type { EditsPolicy, Risk } from '../policy/verdict.ts'

/**
 * What people may do to a call before its decision (product.md 11). Editors never decide their own
 * change at high risk, nor of a command, whatever the queue says.
 */
export function editsOf(
  edits: EditsPolicy,
  call: { readonly tool: string; readonly risk: Risk },
): EditsPolicy {
  if (edits !== 'approve') return edits
  return call.risk === 'high' || isCommandTool(call.tool) ? 'revise' : 'approve'
}
