import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
import { Snapshots } from './snapshots.ts'

// Rules: security.md 28, 42
test('an abandoned folder that cannot be removed keeps no command from beginning', async ({
  skip,
}) => {
  const dataDir = newFolder('snapshots-')
  const fixed = path.join(dataDir, 'snapshots', 'fixed')
  const abandoned = path.join(dataDir, 'snapshots', 'left')
  await using disk = await SmallDisk.at(fixed)
  if (disk === null) return skip('this machine permits no mount')
  mkdirSync(abandoned)
  for (const folder of [fixed, abandoned]) utimesSync(folder, 0, 0)
  await using snapshots = await Snapshots.open(dataDir)
  expect(existsSync(snapshots.folder)).toBe(true)
  expect(existsSync(abandoned)).toBe(false)
})
