import { posix } from 'node:path'
import type { JsonObject } from '../json/json.ts'
import { wordSet } from '../text/word-set.ts'

/** A call of a built-in tool that has the effect of a call of another program, or a part of it. */
export interface CallWithin {
  readonly tool: 'shell' | 'write_file' | 'delete_file'
  readonly input: JsonObject
}

/** The tools of agents that write a file, by the names in their calls. */
const writers = wordSet(`
  Edit MultiEdit Write NotebookEdit StrReplace
  gemini-cli:replace gemini-cli:write_file
  copilot-cli:create copilot-cli:edit copilot-cli:str_replace_editor copilot-cli:str_replace
  copilot-cli:insert
  opencode:edit opencode:multiedit opencode:write
  cursor:edit_file cursor:search_replace cursor:edit_notebook cursor:write`)

const deleters = wordSet('Delete cursor:delete_file')

const shells = wordSet(`
  Bash Shell gemini-cli:run_shell_command copilot-cli:bash opencode:bash cursor:run_terminal_cmd`)

/** Members of an input that name its file; each agent has one of them. */
const pathMembers = ['file_path', 'notebook_path', 'path', 'filePath', 'target_file'] as const

/** A tool that takes a patch of several files, by whatever agent. */
const patches = /^(?:[\w-]+:)?apply_patch$/

/** A call of an agent that has the effect of more calls than these is refused. */
export const maxCallsWithin = 50

/**
 * The calls of built-in tools that together have the effect of a call of an agent, for calls that
 * no single built-in tool makes exactly: an `Edit` of every place at once, a patch, a command
 * outside of the agent's sandbox. If policy blocks one of them, it blocks the whole call; none of
 * them allows it. `folder`: where the agent works; a file outside of it is left out. Pure.
 */
export function callsWithin(
  call: { readonly tool: string; readonly input: JsonObject },
  folder: string | undefined,
): readonly CallWithin[] {
  const { tool, input } = call
  const { command } = input
  if (shells.has(tool)) {
    return typeof command === 'string' ? [{ tool: 'shell', input: { command } }] : []
  }
  if (folder?.startsWith('/') !== true) return []
  const below = (path: string): string[] => {
    const relative = posix.relative(folder, posix.resolve(folder, path))
    return relative === '' || relative === '..' || relative.startsWith('../') ? [] : [relative]
  }
  const paths = pathMembers.flatMap((member) => {
    const path = input[member]
    return typeof path === 'string' ? below(path) : []
  })
  const patch = patches.test(tool) ? filesOfPatch(input) : { written: [], deleted: [] }
  const writes = [...(writers.has(tool) ? paths : []), ...patch.written.flatMap(below)]
  const deletes = [...(deleters.has(tool) ? paths : []), ...patch.deleted.flatMap(below)]
  return [
    ...writes.map((path) => ({ tool: 'write_file', input: { path, content: '' } }) as const),
    ...deletes.map((path) => ({ tool: 'delete_file', input: { path } }) as const),
  ]
}

/** The files in the texts of a patch of the form `*** Update File: NAME`. */
function filesOfPatch(input: JsonObject): {
  readonly written: readonly string[]
  readonly deleted: readonly string[]
} {
  const texts = Object.values(input)
    .flat()
    .filter((text) => typeof text === 'string')
  const written = new Set<string>()
  const deleted = new Set<string>()
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, verb, name = ''] =
      /^\s*\*\*\* (Add File|Update File|Delete File|Move to): (\S.*)$/.exec(line) ?? []
    if (verb === undefined) continue
    if (verb === 'Delete File') deleted.add(name.trim())
    else written.add(name.trim())
  }
  return { written: [...written], deleted: [...deleted] }
}
