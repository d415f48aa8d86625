import {
  chmodSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { parsed } from '../../workspace.fixture.ts'
import { commandDesk, testSandbox, withoutFlush } from '../commands.fixture.ts'

const patient = { timeout: 240_000 }
type Desk = Awaited<ReturnType<typeof commandDesk>>

/** What an approver of this command is shown now, and what the approval rests on. */
async function factsOf(desk: Desk, name: 'exec' | 'shell', input: JsonObject): Promise<CallFacts> {
  const { signal } = new AbortController()
  const call = await parsed(desk.tools[name], input)
  return (await desk.tools[name].present(call, { workspace: desk.workspace, signal })).facts
}

const stdoutOf = (result: ToolResult): string => (result.output as { stdout: string }).stdout

async function untilBegun(desk: Desk): Promise<void> {
  await expect
    .poll(() => existsSync(path.join(desk.root, 'work/begun')), { timeout: 60_000 })
    .toBe(true)
}

// Rules: security.md 28
describe.skipIf(!testSandbox.works)('an approved command runs on the bytes that were shown', () => {
  const good = 'echo shown\n'
  const tries = 12

  test.each([
    ['in place', 'echo "echo other" > run.sh; echo "echo shown" > run.sh'],
    [
      'by putting another file in its place',
      'cp other.sh o; mv o run.sh; cp good.sh g; mv g run.sh',
    ],
  ])('while another run rewrites the script %s, again and again', patient, async (_, rewrite) => {
    using desk = await commandDesk({
      'work/run.sh': good,
      'work/good.sh': good,
      'work/other.sh': 'echo other\n',
    })
    const input = { file: 'sh', args: ['run.sh'], cwd: 'work' }
    const facts = await factsOf(desk, 'exec', input)
    const stop = new AbortController()
    const command = `touch begun; while :; do ${rewrite}; done`
    const racer = desk.run('shell', { command, cwd: 'work' }, { signal: stop.signal })
    racer.catch(() => undefined)
    try {
      await untilBegun(desk)
      const ends = { shown: 0, refused: 0, noticed: 0 }
      for (let round = 0; round < tries; round += 1) {
        const result = await desk.run('exec', input, { facts }).catch((error: unknown) => {
          if (error instanceof WorkspaceProblem && error.code === 'stale') return null
          throw error
        })
        if (result === null) ends.refused += 1
        else if (result.violation === undefined) {
          expect(stdoutOf(result), result.text).toBe('shown\n')
          ends.shown += 1
        } else ends.noticed += 1
      }
      expect(ends.shown + ends.refused + ends.noticed).toBe(tries)
    } finally {
      stop.abort('cancelled')
      await racer.catch(() => undefined)
    }
  })

  test(
    'a script that is rewritten in place while it runs continues with the bytes that were shown',
    patient,
    async () => {
      using desk = await commandDesk()
      const script = 'touch begun\nwhile [ ! -e go ]; do sleep 0.02; done\necho shown\n'
      desk.put('work/run.sh', script)
      const input = { file: 'bash', args: ['run.sh'], cwd: 'work' }
      const running = desk.run('exec', input, { facts: await factsOf(desk, 'exec', input) })
      await untilBegun(desk)
      desk.put('work/run.sh', script.replace('echo shown', 'echo other'))
      writeFileSync(path.join(desk.root, 'work/go'), '')
      expect(stdoutOf(await running)).toBe('shown\n')
      // The file that the other command wrote is still there.
      expect(desk.text('work/run.sh')).toContain('echo other')
    },
  )

  test(
    'a script in whose place another file is put while it runs is a violation that names it',
    patient,
    async () => {
      using desk = await commandDesk()
      desk.put('work/run.sh', 'touch begun\nwhile [ ! -e go ]; do sleep 0.02; done\n')
      const input = { file: 'bash', args: ['run.sh'], cwd: 'work' }
      const running = desk.run('exec', input, { facts: await factsOf(desk, 'exec', input) })
      await untilBegun(desk)
      desk.put('work/other.sh', 'echo other\n')
      renameSync(path.join(desk.root, 'work/other.sh'), path.join(desk.root, 'work/run.sh'))
      writeFileSync(path.join(desk.root, 'work/go'), '')
      expect((await running).violation).toContain('"work/run.sh", which it runs, was replaced')
    },
  )

  test(
    'also on data that read-only commands name, and on all files that it cannot write to',
    patient,
    async () => {
      using desk = await commandDesk({ 'readme.md': 'shown\n', 'work/data.txt': 'shown\n' })
      const wait = 'touch begun; while [ ! -e go ]; do sleep 0.02; done'
      const read = { command: 'tail -n 1 --retry data.txt ../readme.md', cwd: 'work' }
      const facts = await factsOf(desk, 'shell', read)
      expect(facts.bases.map((base) => base.path)).toEqual(['work/data.txt', 'readme.md'])
      const fixed = { command: `${wait}; cat ../readme.md`, cwd: 'work' }
      const running = desk.run('shell', fixed, { facts: await factsOf(desk, 'shell', fixed) })
      await untilBegun(desk)
      desk.put('readme.md', 'other\n')
      writeFileSync(path.join(desk.root, 'work/go'), '')
      expect(stdoutOf(await running)).toBe('shown\n')
      await expect(desk.run('shell', read, { facts })).rejects.toMatchObject({ code: 'stale' })
    },
  )

  test(
    'a program in the workspace may be made executable and written to, and the change is kept after the command',
    patient,
    async () => {
      using desk = await commandDesk({ 'work/run.sh': '#!/bin/sh\necho shown\n' })
      const ran = await desk.shell('chmod +x run.sh && ./run.sh && echo "echo more" >> run.sh')
      expect(ran).toMatchObject({ exitCode: 0, stdout: 'shown\n' })
      expect(desk.text('work/run.sh')).toBe('#!/bin/sh\necho shown\necho more\n')
      expect(statSync(path.join(desk.root, 'work/run.sh')).mode & 0o111).not.toBe(0)
    },
  )

  test(
    'a change to a program that was changed by others meanwhile is dropped, and reported',
    patient,
    async () => {
      using desk = await commandDesk({
        'work/run.sh':
          'echo "# own" >> run.sh\ntouch begun\nwhile [ ! -e go ]; do sleep 0.02; done\n',
      })
      const running = desk.run('exec', { file: 'sh', args: ['run.sh'], cwd: 'work' })
      await untilBegun(desk)
      desk.put('work/run.sh', 'echo other\n')
      writeFileSync(path.join(desk.root, 'work/go'), '')
      expect((await running).violation).toMatch(
        /wrote to "work\/run\.sh" was not kept: something else/,
      )
      expect(desk.text('work/run.sh')).toBe('echo other\n')
    },
  )

  test(
    'a change to a program that may not stay on the disk is reported, beside how the command ended',
    patient,
    async () => {
      using desk = await commandDesk({ 'work/run.sh': 'echo "# own" >> run.sh\necho done\n' })
      const input = { file: 'sh', args: ['run.sh'], cwd: 'work' }
      const ran = await desk.run('exec', input, { workspace: withoutFlush(desk.workspace) })
      expect(ran).toMatchObject({ exitCode: 0, output: { stdout: 'done\n' } })
      expect(ran.violation).toBe(
        'what it wrote to "work/run.sh" may be lost: it was changed, and may not stay so',
      )
      expect(desk.text('work/run.sh')).toContain('\n# own\n')
    },
  )

  test(
    'files that a command names to change them are changed in the workspace itself',
    patient,
    async () => {
      using desk = await commandDesk({
        'work/b.json': '2\n',
        'work/c.py': 'c\n',
        'work/d.sh': 'd\n',
      })
      const ran = await desk.shell(
        'sed -i s/a/A/ a.txt && sort -o a.txt a.txt && echo 3 | tee b.json && mv c.py e.py && perl -pi -e s/d/D/ d.sh && rm -f b.json',
      )
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
      expect([desk.text('work/a.txt'), desk.text('work/e.py'), desk.text('work/d.sh')]).toEqual([
        'A\n',
        'c\n',
        'D\n',
      ])
    },
  )

  /** A script in this many nested `sh -c`. */
  const nested = (script: string, depth: number): string =>
    depth === 0 ? script : nested(`sh -c '${script.replaceAll("'", `'\\''`)}'`, depth - 1)
  const pack = 'work/s/pack/__main__.py'
  const inPack = 'cd pack && python3 __main__.py'
  const first = `#!/usr/bin/env -S FOO=1 sh\necho shown\n`
  test.each([
    ['a script that it is given to an interpreter', 'sh s/run.sh', ['work/s/run.sh']],
    ['one without an ending', 'bash -eu s/plain a.txt', ['work/s/plain', 'work/a.txt']],
    ['one behind options', 'node --require ./s/a.js s/b.js', ['work/s/a.js', 'work/s/b.js']],
    ['one of a shell within', "bash -c 'sh s/run.sh'", ['work/s/run.sh']],
    ['one of a wrapper', 'timeout 5 env A=1 python3.11 s/x.py', ['work/s/x.py']],
    ['one in a folder that it changes to', 'cd s && sh run.sh', ['work/s/run.sh']],
    ['one on its input', 'sh < s/run.sh', ['work/s/run.sh']],
    ['one in a variable', 'f=s/run.sh; sh "$f"', ['work/s/run.sh']],
    ['one that it sources', '. s/run.sh', ['work/s/run.sh']],
    ['a file of make', 'make -f s/x.mk all', ['work/s/x.mk']],
    ['a program of its own, and what runs that', './s/tool', ['work/s/tool', 'work/s/run.sh']],
    ['what the first line of a program runs', './s/first', ['work/s/first', 'work/s/b.js']],
    ['the same by env', './s/env', ['work/s/env', 'work/s/a.js', 'work/s/b.js']],
    ['an interpreter by a relative name', './s/near', ['work/s/near', 'work/s/run.sh']],
    ['a file in the word of an option', 'make -sfs/x.mk all', ['work/s/x.mk']],
    ['one that node loads first', 'node -r./s/a.js s/b.js', ['work/s/a.js', 'work/s/b.js']],
    ['a script whose ending node adds', 'node s/b', ['work/s/b.js']],
    ['a module of Python', 'python3 -um s.x', ['work/s/x.py']],
    ['a folder that Python runs', 'timeout 5 python3 s/pack', ['work/s/pack/__main__.py']],
    ['the file with which make begins', 'make -C s all', ['work/s/Makefile']],
    ['the scripts of npm', 'npm --prefix s run build', ['work/s/package.json']],
    ['a script behind a link', 'sh s/link', ['work/s/run.sh']],
    ['a script in a folder behind a link', 'sh away/run.sh', ['work/s/run.sh']],
    ['a program behind a link', './away/linked', ['work/s/tool', 'work/s/run.sh']],
    ['data behind a link', 'cat data', ['work/s/plain']],
    ['the files that `..` may mean', 'sh deep/../plain', ['work/plain', 'work/s/plain']],
    ['the one whose name node shortens', 'node deep/../p.js', ['work/p.js']],
    ['a script in texts that are nested too deep', nested('cd s; sh run.sh', 5), ['work/s/run.sh']],
    ['the scripts of pnpm', 'pnpm -C s build', ['work/s/package.json']],
    ['the scripts of node', 'cd s && node --run build', ['work/s/package.json']],
    ['the file of make in the folder there', 'make -C t/deep/.. all', ['work/s/Makefile']],
    ['the same in one word', 'make --directory=t/deep/.. all', ['work/s/Makefile']],
    ['the same with a short option', 'make -Ct/deep/.. all', ['work/s/Makefile']],
    ['the same in two steps', 'make -C t/deep -C .. all', ['work/s/Makefile']],
    [
      'the scripts in both folders that cd may mean',
      'cd t/deep/.. && sh only.sh',
      ['work/t/only.sh', 'work/s/only.sh'],
    ],
    ['one in a folder that popd comes back to', `cd s && pushd deep && popd && ${inPack}`, [pack]],
    ['one in a folder after a subshell', `cd s && (cd deep; ls); ${inPack}`, [pack]],
    ['one in a folder behind a wrapper of cd', 'command cd s && sh only.sh', ['work/s/only.sh']],
    ['one in a folder of env', 'env --chdir=c sh own.sh', ['work/c/own.sh']],
    ['the same in two words', 'env --chdir c sh own.sh', ['work/c/own.sh']],
    ['a file in a folder that letters before it enter', 'tar -cCs only.sh', ['work/s/only.sh']],
    ['the file of make behind such letters', 'make -sC s all', ['work/s/Makefile']],
    ['what npm installs', 'npm --prefix s ci', ['work/s/package.json']],
    [
      'what pytest loads first',
      'python3 -m pytest tests/unit/test_x.py::test_x',
      ['work/conftest.py', 'work/tests/conftest.py', 'work/tests/unit/test_x.py'],
    ],
    ['the file of Cargo above its folder', 'cd c/deep && cargo test', ['work/c/Cargo.toml']],
    ['the one of Go there', 'go -C c/deep build ./...', ['work/c/go.mod']],
    ['the one of Docker in a folder', 'docker build c', ['work/c/Dockerfile']],
    ['the one of make behind a link', 'away/mk -C s all', ['work/s/Makefile']],
    ['the one of Vitest', 'cd c && npx vitest run', ['work/c/vite.config.ts']],
    ['the one of Task above its folder', 'cd c/deep && task build', ['work/c/Taskfile.yml']],
    ['the one of Gradle', './gradlew -p c build', ['work/c/build.gradle', 'work/gradlew']],
    ['one in a folder behind an option of cd', 'cd -P s && sh only.sh', ['work/s/only.sh']],
    [
      'one in a folder that it comes back to',
      'cd s/deep && cd .. && cd deep && cd .. && cd pack && python3 __main__.py',
      ['work/s/pack/__main__.py'],
    ],
  ])('rests on %s', patient, async (_, command, files) => {
    using desk = await commandDesk({
      'work/s/run.sh': first,
      'work/s/plain': 'echo shown\n',
      'work/s/a.js': 'a\n',
      'work/s/b.js': 'b\n',
      'work/s/x.py': 'x\n',
      'work/s/x.mk': 'all:\n',
      'work/s/pack/__main__.py': 'x\n',
      'work/s/Makefile': 'all:\n',
      'work/s/package.json': '{ "scripts": { "build": "true" } }\n',
      'work/s/deep/empty': '',
      'work/s/only.sh': 'echo shown\n',
      'work/conftest.py': 'x\n',
      'work/tests/conftest.py': 'x\n',
      'work/tests/unit/test_x.py': 'x\n',
      'work/c/Cargo.toml': '[package]\n',
      'work/c/own.sh': 'echo shown\n',
      'work/c/go.mod': 'module c\n',
      'work/c/Dockerfile': 'FROM scratch\n',
      'work/c/build.gradle': 'x\n',
      'work/c/Taskfile.yml': 'x\n',
      'work/c/vite.config.ts': 'x\n',
      'work/c/deep/empty': '',
      'work/gradlew': '#!/bin/sh\n',
      // What the words of `t/deep/..` name if no link is followed.
      'work/t/Makefile': 'other:\n',
      'work/t/only.sh': 'echo other\n',
      // What the words of `deep/../plain` name if no link is followed.
      'work/plain': 'echo other\n',
      'work/p.js': 'p\n',
    })
    desk.put('work/s/tool', `#!${desk.root}/work/s/run.sh\n`)
    desk.put('work/s/first', '#!/usr/bin/node s/b.js\n')
    desk.put('work/s/env', '#!/usr/bin/env -S node --require=s/a.js s/b.js\n')
    desk.put('work/s/near', '#!s/run.sh\n')
    const host = newFolder('countersign-host-')
    writeFileSync(path.join(host, 'make'), '')
    for (const [link, target] of [
      ['s/mk', path.join(host, 'make')],
      ['s/link', 'run.sh'],
      ['s/linked', 'tool'],
      ['away', 's'],
      ['data', 's/plain'],
      ['deep', 's/deep'],
      ['t/deep', '../s/deep'],
    ] as const) {
      symlinkSync(target, path.join(desk.root, 'work', link))
    }
    for (const name of ['tool', 'first', 'env', 'near']) {
      chmodSync(path.join(desk.root, 'work/s', name), 0o755)
    }
    const facts = await factsOf(desk, 'shell', { command, cwd: 'work' })
    expect(facts.bases).toEqual(
      files.map((at) => ({ path: at, hash: hashBytes(Buffer.from(desk.text(at))) })),
    )
    const programs = (facts.detail?.['programs'] as unknown as { name: string }[] | undefined)?.map(
      ({ name }) => name,
    )
    if (files.includes('work/s/tool')) expect(programs).toEqual(['/usr/bin/env', 'sh'])
    desk.put(files.at(-1) ?? '', 'echo other\n')
    const call = desk.run('shell', { command, cwd: 'work' }, { facts })
    await expect(call).rejects.toMatchObject({ code: 'stale' })
  })

  test(
    'is asked about only if its files together have at most 8 GiB, and no longer than somebody waits',
    patient,
    async () => {
      using desk = await commandDesk()
      for (const name of ['one.img', 'two.img']) {
        desk.put(`work/${name}`, '')
        truncateSync(path.join(desk.root, 'work', name), 8 * 1024 ** 3)
      }
      truncateSync(path.join(desk.root, 'work/one.img'), 1)
      const both = { command: 'cat one.img two.img', cwd: 'work' }
      await expect(factsOf(desk, 'shell', both)).rejects.toThrow(
        /^The command names too much for its approver: "work\/two\.img" .* more than 8 GiB together/,
      )
      const call = await parsed(desk.tools.shell, { command: 'cat two.img', cwd: 'work' })
      const stop = new AbortController()
      const { workspace } = desk
      const presented = desk.tools.shell.present(call, { workspace, signal: stop.signal })
      stop.abort(new Error('stopped'))
      await expect(presented).rejects.toThrow('stopped')
    },
  )

  test(
    'that a link leads to: it is stale once the link leads to another one',
    patient,
    async () => {
      using desk = await commandDesk({ 'work/s/run.sh': good, 'work/s/other.sh': 'echo other\n' })
      const link = path.join(desk.root, 'work/run.sh')
      symlinkSync('s/run.sh', link)
      const input = { file: 'sh', args: ['run.sh'], cwd: 'work' }
      const facts = await factsOf(desk, 'exec', input)
      expect(stdoutOf(await desk.run('exec', input, { facts }))).toBe('shown\n')
      rmSync(link)
      symlinkSync('s/other.sh', link)
      await expect(desk.run('exec', input, { facts })).rejects.toMatchObject({ code: 'stale' })
    },
  )

  test(
    'a script behind a link that is rewritten while it runs continues with the bytes that were shown',
    patient,
    async () => {
      const script = 'touch begun\nwhile [ ! -e go ]; do sleep 0.02; done\necho shown\n'
      using desk = await commandDesk({ 'work/s/run.sh': script })
      symlinkSync('s/run.sh', path.join(desk.root, 'work/run.sh'))
      const input = { file: 'bash', args: ['run.sh'], cwd: 'work' }
      const running = desk.run('exec', input, { facts: await factsOf(desk, 'exec', input) })
      await untilBegun(desk)
      desk.put('work/s/run.sh', script.replace('echo shown', 'echo other'))
      writeFileSync(path.join(desk.root, 'work/go'), '')
      expect(stdoutOf(await running)).toBe('shown\n')
    },
  )
})
