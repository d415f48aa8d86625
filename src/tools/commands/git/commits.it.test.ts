import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import { commandDesk, testSandbox, type RanCommand } from '../commands.fixture.ts'
import { putFiles } from '#test/harness/put-file.ts'

const patient = { timeout: 240_000 }
const zones = '\n  - { name: all, root: ., mode: rw }'
type Desk = Awaited<ReturnType<typeof commandDesk>>

const commit: CommitIdentity = {
  author: { name: 'scribe for Ada', email: 'worker@countersign.localhost' },
  committer: { name: 'Countersign', email: 'countersign@countersign.localhost' },
  trailers: [
    { name: 'Countersign-Request', value: '0190-r' },
    { name: 'Approved-by', value: 'Grace <grace@example.com>' },
  ],
}
const ours = 'Countersign-Request: 0190-r\nApproved-by: Grace <grace@example.com>\n'

/** As a person works in that folder, with an identity and settings of their own. */
function own(desk: Desk, ...words: string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: desk.root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
  }
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const cwd = path.join(desk.root, 'r')
  const ran = spawnSync('git', [...identity, ...words], { cwd, env, encoding: 'utf8' })
  expect(ran.stderr.includes('fatal'), ran.stderr).toBe(false)
  return ran.stdout
}

/** A repository with these files in its first commit. */
async function repository(files: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const desk = await commandDesk({ '.gitconfig': '[user]\n\tname = Somebody\n' }, { zones })
  mkdirSync(path.join(desk.root, 'r'))
  own(desk, 'init', '-q', '-b', 'main', '.')
  putFiles(path.join(desk.root, 'r'), { 'a.txt': 'a\n', ...files })
  own(desk, 'add', '-A')
  own(desk, 'commit', '-qm', 'first')
  return desk
}

async function shell(desk: Desk, command: string): Promise<RanCommand> {
  const result = await desk.run('shell', { command, cwd: 'r' }, { commit })
  return { ...(result.output as unknown as RanCommand), text: result.text }
}

const newest = (desk: Desk): string =>
  own(desk, 'log', '-1', '--format=%an <%ae>|%cn <%ce>|%B').replace(/\n+$/, '\n')
const identity =
  'scribe for Ada <worker@countersign.localhost>|Countersign <countersign@countersign.localhost>|'

// Rules: product.md 36
describe.skipIf(!testSandbox.works)('a commit that a command makes', () => {
  test.each([
    ['a message', 'git commit -qam "second"', 'second\n\n'],
    ['a message in a file', 'printf "two\\n\\nmore\\n" > m; git commit -qaF m', 'two\n\nmore\n\n'],
    [
      'trailers of its own',
      'git commit -qam "second" -m "Reviewed-by: Bob <b@example.com>"',
      'second\n\nReviewed-by: Bob <b@example.com>\n',
    ],
    ['a line that begins like a comment', 'git commit -qam two -m "#12"', 'two\n\n#12\n\n'],
    ['no hooks', 'git commit -nqam "second"', 'second\n\n'],
    ['an editor', 'GIT_EDITOR="sed -i 1isecond" git commit -qa', 'second\n\n'],
  ])('with %s carries the identity and the trailers', patient, async (_, command, message) => {
    using desk = await repository()
    desk.put('r/a.txt', 'b\n')
    // Neither the person's settings nor the repository's count, nor do its hooks run.
    own(desk, 'config', 'user.name', 'Mallory')
    own(desk, 'config', 'core.hooksPath', '.husky')
    own(desk, 'config', 'commit.gpgSign', 'true')
    mkdirSync(path.join(desk.root, 'r/.husky'))
    writeFileSync(path.join(desk.root, 'r/.husky/pre-commit'), '#!/bin/sh\nexit 1\n', {
      mode: 0o755,
    })
    const ran = await shell(desk, command)
    expect(ran.exitCode, ran.stderr).toBe(0)
    expect(newest(desk)).toBe(`${identity}${message}${ours}`)
  })

  test.each([
    ['-m "two" -m "Approved-by: Mallory <m@example.com>"'],
    ['-m "two" -m "APPROVED-BY : Mallory"'],
    ['-m "two" --trailer "countersign-run: 1"'],
    ['-m "two" -m "countersign-REQUEST: 1" -n'],
  ])('is refused with a message that already has our trailers: %s', patient, async (words) => {
    using desk = await repository()
    desk.put('r/a.txt', 'b\n')
    const ran = await shell(desk, `git commit -qa ${words}`)
    expect(ran.exitCode).not.toBe(0)
    expect(ran.stderr).toContain('which the service writes itself. Leave it out.')
    expect(own(desk, 'log', '--format=%s')).toBe('first\n')
  })

  test.each([
    ['amended', 'git commit -q --amend --no-edit'],
    ['picked', 'git checkout -q side && git cherry-pick main'],
    ['rebased', 'git rebase -q side'],
    ['rebased by applying', 'git rebase -q --apply side'],
    ['reused', 'echo c > a.txt && git commit -qa -C HEAD'],
  ])(
    'that is %s has the trailers of this command’s approval, and no others',
    patient,
    async (_, command) => {
      using desk = await repository()
      own(desk, 'checkout', '-qb', 'side')
      own(desk, 'commit', '-q', '--allow-empty', '-m', 'beside')
      own(desk, 'checkout', '-q', 'main')
      desk.put('r/a.txt', 'b\n')
      own(
        desk,
        'commit',
        '-qam',
        'second',
        '-m',
        'Countersign-Request: old\nApproved-by: Eve <e@x.org>\n  more',
      )
      const ran = await shell(desk, command)
      expect(ran.exitCode, ran.stderr).toBe(0)
      expect(own(desk, 'log', '-1', '--format=%B').trim()).toBe(`second\n\n${ours}`.trim())
      expect(newest(desk)).toContain('|Countersign <countersign@countersign.localhost>|')
    },
  )

  test.each([
    ['merges', 'git merge -q --no-edit side', "Merge branch 'side'\n\n"],
    ['reverts', 'git revert --no-edit HEAD', /^Revert "second"\n\nThis reverts commit \w+\.\n\n/],
  ])('that %s carries them too', patient, async (_, command, message) => {
    using desk = await repository()
    own(desk, 'checkout', '-qb', 'side')
    own(desk, 'commit', '-q', '--allow-empty', '-m', 'beside')
    own(desk, 'checkout', '-q', 'main')
    desk.put('r/a.txt', 'b\n')
    own(desk, 'commit', '-qam', 'second')
    const ran = await shell(desk, command)
    expect(ran.exitCode, ran.stderr).toBe(0)
    const [, , text = ''] = newest(desk).split('|')
    if (typeof message === 'string') expect(text).toBe(`${message}${ours}`)
    else expect(text).toMatch(message)
    expect(text.endsWith(ours)).toBe(true)
  })

  test('without a message is refused by Git as usual', patient, async () => {
    using desk = await repository()
    desk.put('r/a.txt', 'b\n')
    expect((await shell(desk, 'git commit -qam ""')).exitCode).not.toBe(0)
  })
})

// Rules: product.md 37
describe.skipIf(!testSandbox.works)('files that the sandbox covers', () => {
  const fixtures = {
    '.env.example': 'TOKEN=example\n',
    'test/fixtures/ca.pem': 'ca\n',
    'test/odd [name]*.pem': 'odd\n',
    '.docker/config.json': '{}\n',
  }

  test(
    'look unchanged to Git: status, diff, add, commit, stash, reset, checkout',
    patient,
    async () => {
      using desk = await repository(fixtures)
      // Somebody's own secret in a tracked file: it is neither seen nor committed.
      desk.put('r/.env.example', 'TOKEN=secret\n')
      desk.put('r/local.pem', 'secret\n')
      const quiet = await shell(
        desk,
        'git status --porcelain && git diff --exit-code && cat .env.example',
      )
      expect(quiet).toMatchObject({ exitCode: 0, stdout: 'TOKEN=example\n', stderr: '' })
      desk.put('r/a.txt', 'b\n')
      const steps = [
        'git stash -q && git stash pop -q',
        'git add . && git commit -qm second',
        'git reset -q --hard HEAD~1 && git reset -q --hard HEAD@{1}',
        'git checkout -q -b other && git checkout -q main',
        'echo c > a.txt && git commit -qam third',
        'git clean -fdq',
        'git status --porcelain',
      ]
      const ran = await shell(desk, steps.join(' && '))
      expect(ran).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
      expect(own(desk, 'log', '--format=%s')).toBe('third\nsecond\nfirst\n')
      expect(own(desk, 'diff', '--name-only', 'HEAD~2', 'HEAD')).toBe('a.txt\n')
      expect(own(desk, 'log', '-p', '--all')).not.toContain('secret')
      expect(desk.text('r/.env.example')).toBe('TOKEN=secret\n')
      expect(desk.text('r/local.pem')).toBe('secret\n')
      expect(own(desk, 'status', '--porcelain')).toBe(' M .env.example\n?? local.pem\n')
    },
  )

  test.each([
    'git reset -q --hard',
    'git reset -q --hard HEAD~1',
    'git checkout -qf HEAD',
    'git checkout -q -- .',
    'git checkout -q HEAD -- .',
    'git restore .',
    'git stash -q',
    'git rebase -q HEAD~1',
  ])(
    'do not stop `%s`, where Git has not yet compared its index in the sandbox',
    patient,
    async (line) => {
      using desk = await repository(fixtures)
      own(desk, 'commit', '--allow-empty', '-qm', 'second')
      desk.put('r/.env.example', 'TOKEN=secret\n')
      if (!line.includes('rebase')) desk.put('r/a.txt', 'changed\n')
      expect(await shell(desk, line)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
      expect(desk.text('r/a.txt')).toBe('a\n')
      expect(desk.text('r/.env.example')).toBe('TOKEN=secret\n')
      expect(own(desk, 'status', '--porcelain')).toBe(' M .env.example\n')
    },
  )

  test('hide no change of another file, also in the second of a commit', patient, async () => {
    using desk = await repository(fixtures)
    const steps = 'echo b > a.txt && git commit -qam b && echo c > a.txt && git commit -qam c'
    expect(await shell(desk, steps)).toMatchObject({ exitCode: 0 })
    expect(own(desk, 'show', 'HEAD:a.txt')).toBe('c\n')
  })

  test.each(['rm .git/index', 'git rm -rq --cached .', 'git read-tree --empty'])(
    'are not removed by a commit of everything after `%s`',
    patient,
    async (before) => {
      using desk = await repository(fixtures)
      desk.put('r/.env.example', 'TOKEN=secret\n')
      expect((await shell(desk, before)).exitCode).toBe(0)
      const ran = await shell(desk, 'echo b > a.txt && git add -A && git commit -qm second')
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
      expect(own(desk, 'show', '--format=', '--name-status')).toBe('M\ta.txt\n')
    },
  )

  test('that Git does not track cannot be read, added, or removed', patient, async () => {
    using desk = await repository()
    desk.put('r/.env', 'secret\n')
    const ran = await shell(
      desk,
      'cat .env; git add -f .env; git hash-object .env; git clean -fdxq; true',
    )
    expect(ran.stdout).toBe('')
    expect(own(desk, 'log', '-p', '--all')).not.toContain('secret')
    expect(desk.text('r/.env')).toBe('secret\n')
  })

  test(
    'are as Git has them however large, and no command begins where Git cannot give them',
    patient,
    async () => {
      using desk = await repository({ '.env.example': 'x'.repeat(1024 * 1024 + 1) })
      const large = await shell(
        desk,
        'git status --porcelain && git commit -q --allow-empty -am two',
      )
      expect(large).toMatchObject({ exitCode: 0, stdout: '' })
      expect(own(desk, 'show', '--stat', '--format=')).toBe('')
      const index = path.join(desk.root, 'r/.git/index')
      const whole = readFileSync(index)
      writeFileSync(index, 'no index')
      const broken = await shell(desk, 'rm -f .git/index; git add -A; touch begun')
      expect(broken.text).toMatch(/^No command runs beside "\.env\.example".* Git cannot read/)
      writeFileSync(index, whole)
      const blob = own(desk, 'rev-parse', 'HEAD:a.txt').trim()
      const stages = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\t.env.example\n`).join('')
      const zeros = '0'.repeat(40)
      own(desk, 'rm', '-q', '--cached', '.env.example')
      const updating = ['update-index', '--index-info']
      spawnSync('git', updating, {
        cwd: path.join(desk.root, 'r'),
        input: `0 ${zeros}\t.env.example\n${stages}`,
      })
      expect((await shell(desk, 'git add -A; touch begun')).text).toContain(
        'a merge of .env.example is not finished',
      )
      expect(own(desk, 'status', '--porcelain')).not.toContain('begun')
    },
  )

  test(
    'and that a sparse checkout keeps off the disk stop no command, though Git has no object of them',
    patient,
    async () => {
      using desk = await repository({ '.aws/config': 'here\n', '.aws/far': 'far\n' })
      const object = own(desk, 'rev-parse', 'HEAD:.aws/far').trim()
      own(desk, 'update-index', '--skip-worktree', '.aws/far')
      rmSync(path.join(desk.root, 'r/.aws/far'))
      rmSync(path.join(desk.root, 'r/.git/objects', object.slice(0, 2), object.slice(2)))
      const ran = await shell(desk, 'git status --porcelain && git add -A && ls .aws')
      expect(ran).toMatchObject({ exitCode: 0, stdout: 'config\n', stderr: '' })
      expect(own(desk, 'ls-files', '-t', '.aws')).toBe('H .aws/config\nS .aws/far\n')
    },
  )

  test(
    'give no other file the contents that an index written by an agent names',
    patient,
    async () => {
      using desk = await repository()
      desk.put('r/.env.example', 'TOKEN=secret\n')
      desk.put('r/other', 'hostile\n')
      const object = own(desk, 'hash-object', '-w', 'other').trim()
      const name = '.env.example/xx/a.txt'
      own(desk, 'update-index', '--add', '--cacheinfo', `100644,${object},${name}`)
      const index = path.join(desk.root, 'r/.git/index')
      const bytes = readFileSync(index, 'latin1')
      expect(bytes).toContain(name)
      // Git writes no such name, but reads it.
      writeFileSync(index, bytes.replace(name, '.env.example/../a.txt'), 'latin1')
      expect(own(desk, 'ls-files')).toContain('.env.example/../a.txt')
      const ran = await shell(desk, 'cat [a].txt; true')
      expect(ran).toMatchObject({ exitCode: 0, stdout: 'a\n' })
    },
  )

  test(
    'stay closed to a pre-approved command that is not Git, tracked or not',
    patient,
    async () => {
      using desk = await repository(fixtures)
      const { tools } = desk
      const parsed = await tools.exec.parse({ file: 'cat', args: ['.env.example'], cwd: 'r' })
      if (!parsed.ok) expect.fail('refused')
      const result = await tools.exec.execute(parsed.input, {
        workspace: desk.workspace,
        signal: new AbortController().signal,
        idempotencyKey: 'call-1:1',
        facts: { toolHash: tools.exec.definitionHash, bases: [] },
        printed: { kind: 'exec', argv: ['/usr/bin/cat', '.env.example'], hides: [] },
        commit,
      })
      expect(result.text).toContain('Permission denied')
    },
  )
})
