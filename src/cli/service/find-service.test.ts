import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { findService } from './find-service.ts'

let folder: string
beforeEach(() => {
  folder = newFolder('countersign find ')
})

async function running(): Promise<void> {
  const run = join(folder, '.countersign', 'run')
  await mkdir(run, { recursive: true })
  await writeFile(join(run, 'url'), 'http://127.0.0.1:4711\n')
  await writeFile(join(run, 'dev-token'), 'secret\n')
}

test('the service of the data folder is found, with its token', async () => {
  await running()
  await expect(findService({ project: folder }, {})).resolves.toMatchObject({
    url: 'http://127.0.0.1:4711',
    devToken: 'secret',
  })
})

test('an address with localhost names the same service, which is called with its token at 127.0.0.1', async () => {
  await running()
  const named = { project: folder, url: 'http://localhost:4711/requests/7' }
  await expect(findService(named, {})).resolves.toMatchObject({
    url: 'http://127.0.0.1:4711',
    devToken: 'secret',
  })
  const others = ['http://localhost:4712', 'https://localhost:4711', 'http://localhost.evil:4711']
  for (const url of others) {
    expect(await findService({ project: folder, url }, {})).toMatchObject({ devToken: null })
  }
})

test('another service never gets the token of this one', async () => {
  await running()
  const other = 'https://approvals.example.com/inbox'
  for (const found of [
    await findService({ project: folder, url: other }, {}),
    await findService({ project: folder }, { COUNTERSIGN_URL: other }),
  ]) {
    expect(found).toMatchObject({
      url: 'https://approvals.example.com',
      devToken: null,
      hostToken: null,
    })
  }
})

test('in a folder of a project, the error names the folder of the project', async () => {
  await writeFile(join(folder, 'countersign.yaml'), '')
  const project = join(folder, 'docs/pictures')
  await expect(findService({ project }, {})).rejects.toThrow(
    `The project is in ${folder}: use --project '${folder}', or name the address of another with --url`,
  )
  await expect(findService({ project: folder }, {})).rejects.toThrow('Start one with')
  await expect(findService({ project, data: folder }, {})).rejects.toThrow('Start one with')
})

test('where no service runs, the error says how to start one for the same folders', async () => {
  const data = join(folder, 'its data')
  await expect(findService({ project: folder, data }, {})).rejects.toThrow(
    `countersign start --project '${folder}' --data '${data}', or`,
  )
  await expect(findService({ project: folder, url: 'nonsense' }, {})).rejects.toThrow(
    /not the address/,
  )
})
