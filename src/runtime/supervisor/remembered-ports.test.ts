import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { readPorts, writePorts } from './remembered-ports.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = newFolder('countersign-ports-')
})

test('the ports of the last start are read again', async () => {
  expect(await readPorts(dataDir)).toEqual({})
  await writePorts(dataDir, { postgres: 5433, temporal: 7233 })
  expect(await readPorts(dataDir)).toEqual({ postgres: 5433, temporal: 7233 })
})

test('what is no port is left out, and a damaged file holds none', async () => {
  const file = join(dataDir, 'ports.json')
  const ports = { postgres: 65_536, temporal: '7233', temporalUi: 8233, other: 1 }
  await writeFile(file, JSON.stringify(ports))
  expect(await readPorts(dataDir)).toEqual({ temporalUi: 8233 })
  await writeFile(file, '{')
  expect(await readPorts(dataDir)).toEqual({})
})
