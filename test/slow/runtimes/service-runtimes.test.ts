import { beforeAll, expect, test } from 'vitest'
import { installService } from '../../packages/installed-service.ts'
import { runProgram } from '../../packages/packed.ts'
import { usedService, useService } from '../../packages/use-service.ts'
import { installRuntimes, runtimeFile } from './runtimes.ts'

beforeAll(installRuntimes)

test.each(['node-22-18', 'node-22'])(
  'the service from its tarball works under %s',
  async (name) => {
    const node = runtimeFile(`${name}/bin/node`)
    await using service = await installService()
    expect(await useService(service, [node, service.command])).toEqual(usedService)
  },
)

test('the service from its tarball says what it needs under Node 20', async () => {
  await using service = await installService()
  const node = runtimeFile('node-20/bin/node')
  const refused = await runProgram(node, [service.command, 'start']).catch((error) => error)
  expect(refused).toMatchObject({
    code: 1,
    stderr: 'countersign needs Node 22.18 or later; this is Node 20.20.2.\n',
  })
})
