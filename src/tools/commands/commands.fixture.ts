import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import type { PrintedCommand } from '#domain/tools/command.ts'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { findSandbox, type HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { parsed, workspaceWith } from '../workspace.fixture.ts'
import { execTool } from './exec.ts'
import { shellTool } from './shell.ts'

/** What this host has for the tests of commands. */
export const testSandbox: HostSandbox = await findSandbox('bwrap')
if (!testSandbox.works) {
  console.warn(`The sandbox tests are skipped: ${testSandbox.problem}; ${testSandbox.remedy}.`)
}

const usualZones = `
  - { name: repo, root: ., mode: ro }
  - { name: work, root: work, mode: rw }
  - { name: kept, root: work/kept, mode: ro }`

/** A workspace and the command tools of a worker with these zones. */
export async function commandDesk(
  files: Readonly<Record<string, string>> = {},
  options: {
    zones?: string
    sandbox?: string
    host?: HostSandbox
    dataDir?: string
    /** where a link to the project is made, by which the project is named; absent: its own path */
    linkedAs?: string
  } = {},
) {
  const own = { 'work/a.txt': 'a\n', 'work/kept/k.txt': 'k\n', '.countersign/key': 'the key\n' }
  const at = await workspaceWith({ ...own, ...files })
  const dataDir = options.dataDir ?? path.join(at.root, '.countersign')
  mkdirSync(dataDir, { recursive: true })
  const projectDir = options.linkedAs ?? at.root
  if (projectDir !== at.root) symlinkSync(at.root, projectDir)
  const text = `---
name: w
description: d
model: openai:x
zones:${options.zones ?? usualZones}
sandbox: ${options.sandbox ?? '{ required: true }'}
shell: { default: ask }
---
Do it.
`
  const config =
    'version: 1\nteams:\n  t: { members: [a@example.com] }\nqueues:\n  q: { team: t }\n'
  const texts = new Map([
    ['countersign.yaml', `${config}defaults: { queue: q }\n`],
    ['workers/w.md', text],
  ])
  const project = parseProject({ texts, toolFiles: [] })
  if (!('policy' in project)) expect.fail(JSON.stringify(project))
  const worker = project.policy.workers.get('w')
  if (worker === undefined) expect.fail('no worker')
  const sandbox = options.host ?? testSandbox
  const place = { policy: project.policy, worker, sandbox, dataDir, projectDir }
  const tools = { exec: execTool(place), shell: shellTool(place) }

  async function run(
    name: 'exec' | 'shell',
    input: JsonObject,
    how: {
      signal?: AbortSignal
      facts?: CallFacts
      printed?: PrintedCommand
      commit?: CommitIdentity
      workspace?: Workspace
    } = {},
  ): Promise<ToolResult> {
    const tool = tools[name]
    return tool.execute(await parsed(tool, input), {
      workspace: how.workspace ?? at.workspace,
      signal: how.signal ?? new AbortController().signal,
      idempotencyKey: 'call-1:1',
      facts: how.facts ?? { toolHash: tool.definitionHash, bases: [] },
      printed: how.printed ?? null,
      ...(how.commit === undefined ? {} : { commit: how.commit }),
    })
  }

  return {
    ...at,
    ...tools,
    run,
    /** what a script ends with, in the writable zone */
    async shell(command: string, more: JsonObject = {}): Promise<RanCommand> {
      const result = await run('shell', { command, cwd: 'work', ...more })
      const { streams, text } = result
      const output = result.output as Omit<RanCommand, 'text' | 'streams'>
      return { ...output, text, ...(streams === undefined ? {} : { streams }) }
    },
    tools,
  }
}

/** A workspace whose folders cannot be flushed: what it writes is there, and may not stay. */
export function withoutFlush(workspace: Workspace): Workspace {
  return {
    ...workspace,
    async write(...change) {
      await workspace.write(...change)
      throw new Error('it was changed, and may not stay so')
    },
  }
}

export interface RanCommand {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly timedOut: boolean
  readonly violation?: string
  readonly streams?: Readonly<Record<string, Uint8Array>>
  readonly text: string
}

/** Whether a process runs whose command line has the name. */
export function isThere(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    spawn('pgrep', ['-f', name], { stdio: 'ignore' }).once('close', (code) => resolve(code === 0))
  })
}

/** Scripts whose process of a name goes on after the shell ends, by how they do it. */
export const lingeringScripts: readonly (readonly [string, (name: string) => string])[] = [
  ['that goes into the background', (name) => `bash -c "exec -a ${name} sleep 300" &`],
  ['that forks twice', (name) => `( ( bash -c "exec -a ${name} sleep 300" & ) & )`],
  [
    'that makes a session of its own',
    (name) => `setsid -f bash -c "exec -a ${name} sleep 300" </dev/null >/dev/null 2>&1`,
  ],
  [
    'that hears no signal',
    (name) => `nohup bash -c "trap '' TERM HUP INT; exec -a ${name} sleep 300" >/dev/null 2>&1 &`,
  ],
]
