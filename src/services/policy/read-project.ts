import { errorMessage } from '#domain/error-message.ts'
import { errorCode } from '#domain/error-code.ts'
import { areTooManyFilesOpen } from '#domain/too-many-files.ts'
import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { hashBytes } from '#domain/json/digest.ts'
import type { ProjectFiles, ProjectProblem, ToolFile } from '#policy/policy.ts'
import { configFile } from '#policy/names/own-files.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { recordServerFiles } from '#tools/mcp/programs/read-in-thread.ts'
import { readModules } from '#tools/custom/modules/read-modules.ts'
import { scriptPathOf } from '#policy/worker/model-name.ts'
import { parseProject, type ParsedProject } from '#policy/project/parse-project.ts'

const maxTextBytes = 1024 * 1024
const maxToolBytes = 64 * 1024 * 1024
const maxFiles = 2000
const ownFolders = new Set(['workers', 'tools'])

export type ReadProject =
  | { readonly files: ProjectFiles }
  | { readonly problems: readonly ProjectProblem[] }

/**
 * Reads the files of a version from a project folder: countersign.yaml, `workers/*.md`, the scripts
 * that workers name, and the hashes of everything below `tools/` and of the packages that it can
 * load. Only regular files that really lie in the folder; no code is loaded. A missing file is left
 * out, so that parsing says what needs it. Rejects while too many files are open.
 */
export async function readProject(projectDir: string): Promise<ReadProject> {
  const { files, problems } = await readReadable(projectDir)
  return problems.length > 0 ? { problems } : { files }
}

/** As `readProject`, but it returns the readable files even if others have problems. */
async function readReadable(
  projectDir: string,
): Promise<{ readonly files: ProjectFiles; readonly problems: readonly ProjectProblem[] }> {
  const problems: ProjectProblem[] = []
  const texts = new Map<string, string>()
  const toolFiles: ToolFile[] = []
  const readGuarded = async (file: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return
      if (areTooManyFilesOpen(error)) throw error
      problems.push(unreadable(file, error))
    }
  }
  const readTextInto = async (path: string): Promise<void> => {
    await readGuarded(path, async () => {
      const bytes = await readInside(projectDir, path, maxTextBytes)
      texts.set(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    })
  }
  await readTextInto(configFile)
  await readGuarded('workers', async () => {
    const names = await namesIn(projectDir, 'workers')
    if (names.length > maxFiles) throw new Error(`it holds more than ${maxFiles} files`)
    for (const name of names) {
      if (name.endsWith('.md')) await readTextInto(`workers/${name}`)
    }
  })
  for (const text of texts.values()) {
    const script = scriptPathOf(text)
    if (script !== null && !texts.has(script)) await readTextInto(script)
  }
  await readGuarded('tools', async () => {
    for (const path of await filesBelow(projectDir, 'tools')) {
      await readGuarded(path, async () => {
        toolFiles.push({
          path,
          hash: hashBytes(await readInside(projectDir, path, maxToolBytes)),
        })
      })
    }
  })
  await readGuarded('tools', async () => {
    const own = toolFiles.map((file) => file.path)
    toolFiles.push(...(await readModules(projectDir, own)))
  })
  const files = { texts, toolFiles }
  const parsedProject = parseProject(files)
  let serverFiles: ProjectFiles['serverFiles'] | null = null
  if ('policy' in parsedProject) {
    const { workers } = withGatewayWorkers(parsedProject.policy)
    await readGuarded('mcpServers', async () => {
      serverFiles = await recordServerFiles(projectDir, workers.values())
    })
  }
  return { files: serverFiles === null ? files : { ...files, serverFiles }, problems }
}

/** The bytes of a regular file inside the folder, links resolved. A FIFO does not block. */
async function readInside(projectDir: string, path: string, maxBytes: number): Promise<Buffer> {
  const root = await realpath(projectDir)
  const real = await realpath(join(root, path))
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
    throw new Error('it is a link that leads out of the project folder')
  }
  if (!isTrustedLink(path, relative(root, real))) {
    throw new Error(`it is a link to ${relative(root, real)}, which may be in an agent's zone`)
  }
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  await using file = await open(real, flags)
  const stats = await file.stat()
  if (!stats.isFile()) throw new Error('it is not a regular file')
  if (stats.size > maxBytes) throw new Error(`it is over ${maxBytes} bytes`)
  return await file.readFile()
}

/**
 * A link counts if it leads to a file of the same folder, which is as trusted, or to a volume that
 * a cluster has mounted (`..data/`). Other links could lead to files that an agent writes.
 */
function isTrustedLink(path: string, real: string): boolean {
  if (real === path || real.startsWith('..')) return true
  const folder = path.split('/')[0] ?? ''
  return folder !== path && ownFolders.has(folder) && real.startsWith(folder + sep)
}

async function namesIn(projectDir: string, folder: string): Promise<string[]> {
  const names = await readdir(join(projectDir, folder))
  return names.filter((name) => !name.startsWith('.')).toSorted()
}

/** Files at any depth, except hidden ones and `node_modules`. */
async function filesBelow(projectDir: string, folder: string): Promise<string[]> {
  const stats: string[] = []
  for (const entry of await readdir(join(projectDir, folder), { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) stats.push(...(await filesBelow(projectDir, path)))
    else stats.push(path)
    if (stats.length > maxFiles) throw new Error(`it holds more than ${maxFiles} files`)
  }
  return stats.toSorted()
}

function unreadable(file: string, error: unknown): ProjectProblem {
  const why = error instanceof TypeError ? 'it is not UTF-8 text' : errorMessage(error)
  return {
    file,
    line: null,
    problem: `the file cannot be read: ${why}`,
    remedy: 'make it a readable, regular file inside the project folder',
    severity: 'error',
  }
}

/** Reads and parses a project folder, with every problem of every file at once, for `check`. */
export async function loadProject(projectDir: string): Promise<ParsedProject> {
  return (await inspectProject(projectDir)).parsed
}

/** As `loadProject`, with the tool files, which are read even if others have problems. */
export async function inspectProject(
  projectDir: string,
): Promise<{ readonly parsed: ParsedProject; readonly toolFiles: readonly ToolFile[] }> {
  const { files, problems } = await readReadable(projectDir)
  const parsedProject = parseProject(files)
  const { toolFiles } = files
  if (problems.length === 0) return { parsed: parsedProject, toolFiles }
  // An unreadable file is not a missing file.
  const unreadable = new Set(problems.map((problem) => problem.file))
  const parsedProblems =
    'problems' in parsedProject ? parsedProject.problems : parsedProject.warnings
  const remaining = parsedProblems.filter(
    ({ file, line }) => line !== null || !unreadable.has(file),
  )
  return { parsed: { problems: [...problems, ...remaining] }, toolFiles }
}
