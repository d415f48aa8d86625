import { posix } from 'node:path'
import type { Json, JsonObject } from '../json/json.ts'
import { wordSet } from '../text/word-set.ts'
import { patchedFiles, patchTool } from './patched-files.ts'

/** A call of a built-in tool that has the effect of a call of another program, or a part of it. */
export interface CallWithin {
  readonly tool:
    | 'shell'
    | 'read_file'
    | 'list_files'
    | 'search_files'
    | 'write_file'
    | 'delete_file'
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
  Bash Shell Monitor PowerShell codex:shell_command gemini-cli:run_shell_command
  copilot-cli:bash copilot-cli:powershell opencode:bash cursor:run_terminal_cmd`)

const readers = wordSet(`
  Read NotebookRead codex:read_file gemini-cli:read_file copilot-cli:view opencode:read
  cursor:read_file`)

/** They read the files below a folder: without one in the call, below that of the session. */
const searchers = wordSet(`
  Grep codex:grep_files gemini-cli:grep_search gemini-cli:search_file_content
  gemini-cli:read_many_files copilot-cli:grep copilot-cli:rg opencode:grep cursor:grep
  cursor:grep_search cursor:codebase_search`)

/** They name the files below a folder. */
const listers = wordSet(`
  Glob LS codex:list_dir gemini-cli:glob gemini-cli:list_directory copilot-cli:glob opencode:glob
  opencode:list cursor:list_dir cursor:file_search cursor:glob_file_search`)

/** Their `pattern` names files, and may lead out of their folder. */
const globbers = wordSet(`
  Glob gemini-cli:glob copilot-cli:glob opencode:glob cursor:glob_file_search`)

/** Members of an input that name its file; each agent has one of them. */
export const pathMembers = [
  'file_path',
  'notebook_path',
  'path',
  'filePath',
  'target_file',
  'absolute_path',
] as const

/** Members that name a folder: where a command runs, or what is looked through. */
const folderMembers = ['dir_path', 'workdir', 'target_directory'] as const
/** Members of readers and searchers that name several files or folders. */
const listMembers = ['paths', 'include', 'target_directories'] as const

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
  const isKnown = folder?.startsWith('/') === true
  const below = (path: string, from = ''): string[] =>
    isKnown ? placesOf(tool, path.trim(), from, folder) : []
  const textsIn = (members: readonly string[]): string[] =>
    members.flatMap((member) => {
      const text = input[member]
      return typeof text === 'string' ? text : []
    })
  const pathsIn = (members: readonly string[]): string[] =>
    textsIn(members).flatMap((path) => below(path))
  if (shells.has(tool)) {
    if (typeof command !== 'string') return []
    const [cwd = ''] = pathsIn(folderMembers)
    return [{ tool: 'shell', input: cwd === '' ? { command } : { command, cwd } }]
  }
  const isLister = listers.has(tool)
  const isSearcher = isLister || searchers.has(tool)
  const list =
    isSearcher || readers.has(tool) ? listMembers.flatMap((name) => textsOf(input[name])) : []
  if (list.length > maxCallsWithin) {
    // Refused, whatever they name.
    return list.map((path) => ({ tool: 'read_file', input: { path } }))
  }
  if (isSearcher) {
    const members = [...pathMembers, ...folderMembers]
    // A text in a list may be a pattern, or a folder with such a mark in its name: `(group)`.
    const texts = [...textsIn(members), ...list.flatMap((path) => [path, certainFolder(path)])]
    const starts = texts.length > 0 ? texts : ['']
    const folders = starts.flatMap((path) => below(path))
    const patterns = globbers.has(tool) ? textsIn(['pattern', 'glob_pattern']) : []
    const places = patterns.map((text) => certainFolder(text.trim())).filter((at) => at !== '')
    const named = places.flatMap((place) => {
      const leadsOut = /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(place)
      return (leadsOut ? ['', ...starts] : starts).flatMap((from) => below(place, from))
    })
    return [...new Set([...folders, ...named])].map((path) =>
      isLister
        ? { tool: 'list_files', input: { path } }
        : { tool: 'search_files', input: { path, pattern: '.' } },
    )
  }
  if (readers.has(tool)) {
    const read = [...pathsIn(pathMembers), ...list.flatMap((path) => below(path))].filter(
      (path) => path !== '',
    )
    return read.map((path) => ({ tool: 'read_file', input: { path } }))
  }
  const paths = pathsIn(pathMembers).filter((path) => path !== '')
  const texts = patchTool.test(tool) ? Object.values(input).flat() : []
  const patched = texts.flatMap((text) => (typeof text === 'string' ? patchedFiles(text) : []))
  const pathsWhere = (isDeleted: boolean): string[] => {
    const files = patched.filter((file) => file.isDeleted === isDeleted)
    return [...new Set(files.map(({ path }) => path))]
      .flatMap((path) => below(path))
      .filter((path) => path !== '')
  }
  const writes = [...(writers.has(tool) ? paths : []), ...pathsWhere(false)]
  const deletes = [...(deleters.has(tool) ? paths : []), ...pathsWhere(true)]
  return [
    ...writes.map((path) => ({ tool: 'write_file', input: { path, content: '' } }) as const),
    ...deletes.map((path) => ({ tool: 'delete_file', input: { path } }) as const),
  ]
}

/** Whether a call only reads files or names them. */
export function isReading({ tool }: CallWithin): boolean {
  return tool === 'read_file' || tool === 'list_files' || tool === 'search_files'
}

/** The texts of a list. */
function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}

/** The folder that every file of a pattern is in: its text up to the last `/` before a mark. */
function certainFolder(pattern: string): string {
  const [certain = ''] = pattern.split(/[*?[{(!+@]/)
  return certain === pattern ? pattern : certain.slice(0, certain.lastIndexOf('/') + 1)
}

/** A folder that is somebody's home by its place. */
const homeFolder = /^\/(?:root|(?:home|Users)\/[^/]+)\/?$/

/**
 * What `path` may mean where the folder `from` is the current one, relative to `folder`; nothing
 * that lies outside of `folder`. Claude Code expands `~`: the home may be the first folder of
 * `folder`'s own path or the second one, as in `/home/ada`; `folder` itself only in the places of
 * homes.
 */
function placesOf(tool: string, path: string, from: string, folder: string): string[] {
  const isHome = /^~(?:\/|$)/.test(path) && !tool.includes(':')
  const [, person = '/', root = person] = /^((\/[^/]+)\/[^/]+)\//.exec(`${folder}/`) ?? []
  const homes = [person, root].filter((home) => home !== folder)
  if (homeFolder.test(folder)) homes.push(folder)
  const targets = isHome
    ? homes.map((home) => posix.resolve(home, `.${path.slice(1)}`))
    : [posix.resolve(folder, from.trim(), path)]
  return targets
    .map((target) => posix.relative(folder, target))
    .filter((relative) => relative !== '..' && !relative.startsWith('../'))
}
