import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { DeferredSessions } from './deferred-sessions.ts'

let folder = ''
let sessions: DeferredSessions
beforeEach(() => {
  folder = newFolder('countersign sessions ')
  sessions = new DeferredSessions(folder)
})

const session = {
  sessionId: '470aad5d-9672-43d4-9fd5-b7b2c8ee79bd',
  folder: '/srv/shop',
  permissionMode: 'acceptEdits',
  url: 'http://127.0.0.1:4400',
  requestId: '01a200d3-152e-74af-bb62-a47792619cda',
  number: 142,
}

test('one process at a time has a session, which others can have after it, unless it ended for good', async () => {
  await sessions.add(session)
  await sessions.add(session)
  expect(await sessions.list()).toEqual([session])
  expect(await sessions.claim(session)).toBe(true)
  expect(await sessions.claim(session)).toBe(false)
  expect(await sessions.list()).toEqual([])
  await sessions.release(session, { isDone: false })
  expect(await sessions.list()).toEqual([session])
  expect(await sessions.claim(session)).toBe(true)
  // A later call of the session that waits stays in the list.
  await sessions.add({ ...session, requestId: 'next', number: 143 })
  await sessions.release(session, { isDone: true })
  expect(await sessions.list()).toMatchObject([{ number: 143 }])
})

test('a session whose process was killed can be continued by the next', async () => {
  await sessions.add(session)
  const [name = ''] = await readdir(folder)
  const text = await readFile(join(folder, name), 'utf8')
  await rm(join(folder, name))
  // No process has this id.
  await writeFile(join(folder, `${name}.4194305`), text)
  expect(await sessions.list()).toEqual([session])
  expect(await sessions.claim(session)).toBe(true)
})

test('what a process had written of a session when it was killed is no session', async () => {
  await sessions.add(session)
  const [name = ''] = await readdir(folder)
  await writeFile(join(folder, `${name}.4194305.new`), '{"sessionId":')
  expect(await sessions.list()).toEqual([session])
})

test.each([
  { sessionId: '--dangerously-skip-permissions' },
  { sessionId: '../../x' },
  { permissionMode: '-x' },
  { permissionMode: 'a b' },
  { permissionMode: undefined },
  { folder: 'relative' },
  { requestId: 'a/../b' },
  { number: '142' },
])(
  'an id that could become an argument of the program is neither stored nor read: %j',
  async (more) => {
    await expect(sessions.add({ ...session, ...more })).rejects.toThrow('cannot be continued')
    await writeFile(join(folder, 'a'.repeat(64)), JSON.stringify({ ...session, ...more }))
    await writeFile(join(folder, 'b'.repeat(64)), 'no JSON')
    expect(await sessions.list()).toEqual([])
  },
)
