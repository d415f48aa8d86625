import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFiles } from '#test/harness/put-file.ts'

/** A workspace on disk with these files, for the tests of tools. */
export async function workspaceWith(files: Readonly<Record<string, string | Uint8Array>>) {
  const root = newFolder('tools-')
  putFiles(root, files)
  const workspace = await openWorkspace({ root, hidden: ['.countersign'] })
  return {
    root,
    workspace,
    text: (at: string): string => readFileSync(path.join(root, at), 'utf8'),
    put: (at: string, content: string): void => writeFileSync(path.join(root, at), content),
    [Symbol.dispose]: (): void => rmSync(root, { recursive: true, force: true }),
  }
}

/** The canonical input of a call that must be valid. */
export async function parsed(tool: Tool, input: Json): Promise<JsonObject> {
  const result = await tool.parse(input)
  if (!result.ok) expect.fail(`refused: ${result.problems.join(' ')}`)
  return result.input
}

/** The refusal of an invalid call. */
export async function problemsOf(tool: Tool, input: Json): Promise<string> {
  const result = await tool.parse(input)
  if (result.ok) expect.fail('was accepted')
  return result.problems.join('\n')
}

/** Presents a call as it is shown when it opens. */
export async function present(
  tool: Tool,
  workspace: Workspace,
  input: Json,
): Promise<CallPresentation> {
  const context = { workspace, signal: new AbortController().signal }
  return tool.present(await parsed(tool, input), context)
}

/** Executes a call with the facts of its request, or as a call that needed no approval. */
export async function execute(
  tool: Tool,
  workspace: Workspace,
  input: Json,
  facts?: CallFacts,
): Promise<ToolResult> {
  return tool.execute(await parsed(tool, input), {
    workspace,
    signal: new AbortController().signal,
    idempotencyKey: 'call-1:1',
    facts: facts ?? { toolHash: tool.definitionHash, bases: [] },
    printed: null,
  })
}
