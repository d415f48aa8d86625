import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { Policy } from '#policy/policy.ts'
import { folderOf, policyOf } from '#test/harness/fixtures/project.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { Workspaces } from './workspaces.ts'

let projectDir: string
beforeEach(() => {
  projectDir = newFolder('countersign workspaces ')
})

function policyWith(workspaces: string): Policy {
  const text = `version: 1\nteams:\n  ops: { members: [ada@example.com] }\nqueues:\n  ops: { team: ops }\ndefaults: { queue: ops }\n${workspaces}`
  return policyOf(folderOf({ 'countersign.yaml': text }))
}

function workspaces(): Workspaces {
  const folders = { projectDir, dataDir: join(projectDir, '.countersign'), isQuickstart: false }
  return new Workspaces({ folders, taskQueue: 'own' })
}

const elsewhere = 'workspaces:\n  default: { root: elsewhere, taskQueue: other }\n'

test('a folder is opened once, however often and by however many it is asked for', async () => {
  await mkdir(join(projectDir, 'elsewhere'))
  const opened = workspaces()
  const policy = policyWith(elsewhere)
  const [first, second] = await Promise.all([
    opened.of(policy, { taskQueue: 'other', workspace: 'default' }),
    opened.of(policy, { taskQueue: 'other', workspace: 'default' }),
  ])
  expect(second).toBe(first)
  expect(await opened.of(policy, { taskQueue: 'other', workspace: 'default' })).toBe(first)
})

test('a folder that cannot be opened is tried again at the next question', async () => {
  const opened = workspaces()
  const policy = policyWith(elsewhere)
  const folder = join(projectDir, 'elsewhere')
  const open = () => opened.of(policy, { taskQueue: 'other', workspace: 'default' })
  const missing = new UnusableWorkspace('its folder is not there')
  await expect(open()).rejects.toThrow(missing)
  await mkdir(folder)
  await expect(open()).resolves.toBeDefined()
  // It was open already.
  await rm(folder, { recursive: true })
  await expect(open()).rejects.toThrow(missing)
})

test('a workspace is opened for its own task queue only', async () => {
  await mkdir(join(projectDir, 'elsewhere'))
  const opened = workspaces()
  await expect(
    opened.of(policyWith(elsewhere), { taskQueue: 'unknown', workspace: 'default' }),
  ).rejects.toThrow(
    'the workspace default in countersign.yaml does not have the task queue unknown',
  )
})

// Rules: product.md 35
test('each workspace of the policy is opened at its own root, and an unknown one is not', async () => {
  await mkdir(join(projectDir, 'shop'))
  const policy = policyWith('workspaces:\n  shop: { root: shop }\n')
  const opened = workspaces()
  const at = (workspace: string) => opened.of(policy, { taskQueue: 'own', workspace })
  expect((await at('default')).root).toBe(projectDir)
  expect((await at('shop')).root).toBe(join(projectDir, 'shop'))
  await expect(at('gone')).rejects.toThrow('countersign.yaml has no workspace gone')
})

// Rules: security.md 8
test('the data folder that an earlier start left in the project is hidden too', async () => {
  const left = join(projectDir, '.countersign', 'run')
  await mkdir(left, { recursive: true })
  await writeFile(join(left, 'dev-token'), 'a token\n')
  const folders = { projectDir, dataDir: newFolder('countersign data '), isQuickstart: false }
  const opened = new Workspaces({ folders, taskQueue: 'own' })
  const policy = policyWith('workspaces:\n  default: { root: . }\n')
  const workspace = await opened.of(policy, { taskQueue: 'own', workspace: 'default' })
  await expect(workspace.read('.countersign/run/dev-token', { maxBytes: 100 })).rejects.toThrow(
    'belongs to Countersign itself',
  )
  await expect(workspace.read('.COUNTERSIGN/run/dev-token', { maxBytes: 100 })).rejects.toThrow(
    'belongs to Countersign itself',
  )
})
