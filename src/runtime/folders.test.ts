import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { checkoutFolder, findFolders, isUsualDataDir } from './folders.ts'

let folder: string
beforeEach(() => {
  folder = newFolder('countersign folders ')
})

test('a folder with countersign.yaml is the project, its data are beside it', async () => {
  await writeFile(join(folder, 'countersign.yaml'), 'version: 1\n')
  expect(findFolders({ project: folder })).toEqual({
    projectDir: folder,
    dataDir: join(folder, '.countersign'),
    isQuickstart: false,
  })
})

test('without countersign.yaml the project is the working copy of the quickstart', () => {
  expect(findFolders({ project: folder, data: join(folder, 'd') })).toEqual({
    projectDir: join(folder, 'd', 'quickstart'),
    dataDir: join(folder, 'd'),
    isQuickstart: true,
  })
})

test('a process that is given the working copy itself knows that it is one', async () => {
  const projectDir = join(folder, 'd', 'quickstart')
  await mkdir(projectDir, { recursive: true })
  await writeFile(join(projectDir, 'countersign.yaml'), 'version: 1\n')
  expect(findFolders({ project: projectDir, data: join(folder, 'd') }).isQuickstart).toBe(true)
})

test('a data folder in its usual place need not be named: beside the project, or for the example in the checkout', async () => {
  await writeFile(join(folder, 'countersign.yaml'), 'version: 1\n')
  expect(isUsualDataDir(findFolders({ project: folder }))).toBe(true)
  expect(isUsualDataDir(findFolders({ project: folder, data: join(folder, 'd') }))).toBe(false)
  const example = join(checkoutFolder, '.countersign')
  expect(isUsualDataDir(findFolders({ project: join(example, 'quickstart'), data: example }))).toBe(
    true,
  )
  expect(isUsualDataDir(findFolders({ data: join(folder, 'd') }))).toBe(false)
})
