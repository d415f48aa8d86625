import type { JsonObject } from '#domain/json/json.ts'
import { editsBetween } from './edits-between.ts'
import { membersOf, type EditedCall } from './results-in-file.ts'

/** The input that results in `text`. `before` is the file before the call. Pure. */
export function inputOfFile(
  { tool, input }: EditedCall,
  before: string,
  text: string,
): { readonly input: JsonObject } | { readonly problem: string } {
  const members = membersOf(input)
  if (members === null) return { problem: 'This call cannot be edited as a file.' }
  if (tool === 'write_file') return { input: { ...members, content: text } }
  const edits = editsBetween(before, text)
  if (edits === null) return { problem: 'This is the file as it is: deny the call instead.' }
  return { input: { ...members, edits } }
}
