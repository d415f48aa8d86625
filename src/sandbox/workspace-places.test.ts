import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { platformNaming } from './open-directory.ts'
import { workspacePlaces } from './workspace-places.ts'

test('an empty folder that somebody put in the place of a new one stays when the change is refused', async () => {
  const root = newFolder('workspace-places-')
  const places = workspacePlaces(root, [], platformNaming)
  const change = places.withNewPlace('new/deep/a.txt', async () => {
    renameSync(path.join(root, 'new'), path.join(root, 'moved'))
    mkdirSync(path.join(root, 'new/deep'), { recursive: true })
    throw new Error('refused')
  })
  await expect(change).rejects.toThrow('refused')
  expect(readdirSync(path.join(root, 'new'))).toEqual(['deep'])
})
