import type { JsonObject } from '#domain/json/json.ts'

/** A call whose verdict answers what a person typed. */
export interface VerdictProbe {
  readonly title: string
  readonly tool: string
  readonly input: JsonObject
}

/**
 * Any text can be a command. It can be a path too, unless it has blanks and neither a slash nor the
 * ending of a file: "git push".
 */
export function verdictProbes(text: string): readonly VerdictProbe[] {
  if (text === '') return []
  const run = { title: 'Run it', tool: 'shell', input: { command: text } }
  if (/\s/.test(text) && !/\/|\.[a-z]\w{0,7}$/i.test(text)) return [run]
  return [
    { title: 'Read it', tool: 'read_file', input: { path: text } },
    { title: 'Write it', tool: 'write_file', input: { path: text, content: '' } },
    { title: 'Delete it', tool: 'delete_file', input: { path: text } },
    run,
  ]
}
