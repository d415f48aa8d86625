import { isJsonObject } from '#domain/json/is-object.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { JsonObject } from '#domain/json/json.ts'

/** The members of a request that say which file its call results in. */
export type EditedCall = Pick<RequestDetail, 'tool' | 'input' | 'presentation' | 'kind'>

/**
 * Whether a call results in one text file that can be edited as a whole: it writes a text, or edits
 * one. Pure.
 */
export function resultsInFile({ kind, tool, input, presentation }: EditedCall): boolean {
  if (kind !== 'tool_call' || presentation.truncated) return false
  const members = membersOf(input)
  if (tool === 'write_file') {
    return typeof members?.['content'] === 'string' && (members['encoding'] ?? 'utf8') === 'utf8'
  }
  return tool === 'edit_file' && members !== null && presentation.type === 'diff'
}

/** The input as an object; `null` if it is none. Pure. */
export function membersOf(input: EditedCall['input']): JsonObject | null {
  return isJsonObject(input) ? input : null
}
