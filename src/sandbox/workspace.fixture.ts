import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { openWorkspace, type OpenWorkspace } from './workspace.ts'

/** holds the workspace's root, and a folder outside of it with a file `secret.txt` */
export let base: string
export let root: string
export let outside: string
/** has the file `notes/a.md` and the hidden folder `.countersign` */
export let workspace: OpenWorkspace

/** Opens a workspace of its own for each test of a file. */
export function useWorkspace(): void {
  beforeEach(async () => {
    base = newFolder('workspace-')
    root = path.join(base, 'root')
    outside = path.join(base, 'outside')
    const inside = [path.join(root, 'notes'), path.join(root, '.countersign')]
    for (const folder of [root, outside, ...inside]) mkdirSync(folder)
    writeFileSync(path.join(outside, 'secret.txt'), 'secret')
    writeFileSync(path.join(root, 'notes/a.md'), 'one\n')
    writeFileSync(path.join(root, '.countersign/key'), 'private')
    workspace = await openWorkspace({ root, hidden: ['.countersign'] })
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))
}

export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const read = (at: string): string => readFileSync(path.join(root, at), 'utf8')
export const problem = (code: string) => expect.objectContaining({ name: 'WorkspaceProblem', code })
