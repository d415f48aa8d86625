import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { hashBytes } from '../../domain/digest.ts'
import type { ProjectFiles, ProjectProblem, ToolFile } from '../../policy/policy.ts'
import { configFile } from '../../policy/project/config/read-config.ts'
import { scriptPathOf } from '../../policy/worker/script-path-of.ts'

const mostTextBytes = 1024 * 1024
const mostToolBytes = 64 * 1024 * 1024
const mostFiles = 2000

export type ReadProject =
  | { readonly files: ProjectFiles }
  | { readonly problems: readonly ProjectProblem[] }

/**
 * Reads what makes a version from a project folder: countersign.yaml, `workers/*.md`, the scripts that workers name,
 * and the hashes of everything below `tools/`. Only regular files that really lie in the folder; no code is loaded.
 * A missing file is left out, so that parsing says what it is needed for.
 */
export async function readProject(projectDir: string): Promise<ReadProject> {
  const { files, problems } = await readReadable(projectDir)
  return problems.length > 0 ? { problems } : { files }
}

/** As `readProject`, with the files that can be read whatever is wrong with the others. */
export async function readReadable(
  projectDir: string,
): Promise<{ readonly files: ProjectFiles; readonly problems: readonly ProjectProblem[] }> {
  const problems: ProjectProblem[] = []
  const texts = new Map<string, string>()
  const toolFiles: ToolFile[] = []
  const guarded = async (file: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (isMissing(error)) return
      problems.push(unreadable(file, error))
    }
  }
  const readTextInto = async (path: string): Promise<void> => {
    await guarded(path, async () => {
      const bytes = await readInside(projectDir, path, mostTextBytes)
      texts.set(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    })
  }
  await readTextInto(configFile)
  await guarded('workers', async () => {
    const names = await namesIn(projectDir, 'workers')
    if (names.length > mostFiles) throw new Error(`it holds more than ${mostFiles} files`)
    for (const name of names) {
      if (name.endsWith('.md')) await readTextInto(`workers/${name}`)
    }
  })
  for (const text of texts.values()) {
    const script = scriptPathOf(text)
    if (script !== null && !texts.has(script)) await readTextInto(script)
  }
  await guarded('tools', async () => {
    for (const path of await filesBelow(projectDir, 'tools')) {
      await guarded(path, async () => {
        toolFiles.push({
          path,
          hash: hashBytes(await readInside(projectDir, path, mostToolBytes)),
        })
      })
    }
  })
  return { files: { texts, toolFiles }, problems }
}

/** The bytes of a regular file inside the folder, links resolved. A FIFO does not block. */
async function readInside(projectDir: string, path: string, mostBytes: number): Promise<Buffer> {
  const root = await realpath(projectDir)
  const real = await realpath(join(root, path))
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
    throw new Error('it is a link that leads out of the project folder')
  }
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  await using file = await open(real, flags)
  const found = await file.stat()
  if (!found.isFile()) throw new Error('it is not a regular file')
  if (found.size > mostBytes) throw new Error(`it is over ${mostBytes} bytes`)
  return await file.readFile()
}

async function namesIn(projectDir: string, folder: string): Promise<string[]> {
  const names = await readdir(join(projectDir, folder))
  return names.filter((name) => !name.startsWith('.')).toSorted()
}

/** Files at any depth, but for hidden ones and `node_modules`. */
async function filesBelow(projectDir: string, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(join(projectDir, folder), { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesBelow(projectDir, path)))
    else found.push(path)
    if (found.length > mostFiles) throw new Error(`it holds more than ${mostFiles} files`)
  }
  return found.toSorted()
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function unreadable(file: string, error: unknown): ProjectProblem {
  const why = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message
  return {
    file,
    line: null,
    problem: `the file cannot be read: ${why}`,
    remedy: 'make it a readable, regular file inside the project folder',
    severity: 'error',
  }
}
