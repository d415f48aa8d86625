import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandEnvironment } from '../../sandbox/bwrap/command-environment.ts'
import { commandDesk, testSandbox } from './commands.fixture.ts'

const patient = { timeout: 120_000 }

// Rules: security.md 7
describe.skipIf(!testSandbox.works)('out of the sandbox there is no way to', () => {
  test('the files of the host that no zone names', patient, async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      'cat /etc/shadow /etc/hostname /root/.ssh/id_rsa ~/.ssh/id_rsa; ls /root /home /var /mnt /sys; touch /new',
    )
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/\/etc\/shadow.*No such file/)
    expect(ran.stderr).toMatch(/touch.*Read-only file system/)
  })

  test('a zone that is read-only, from within a writable one too', patient, async () => {
    using desk = await commandDesk({ 'readme.md': 'r\n' })
    const ran = await desk.shell(
      'echo x > ../readme.md; echo x > kept/k.txt; mv kept gone; rm -rf kept; echo new > b.txt',
    )
    expect(ran.stderr.match(/Read-only file system|busy/g)?.length).toBeGreaterThanOrEqual(3)
    expect(desk.text('readme.md')).toBe('r\n')
    expect(desk.text('work/kept/k.txt')).toBe('k\n')
    expect(desk.text('work/b.txt')).toBe('new\n')
  })

  // Rules: security.md 3
  test('the environment of the service', patient, async () => {
    using desk = await commandDesk()
    process.env['A_SECRET_OF_THE_SERVICE'] = 'value'
    const ran = await desk.shell('env; tr "\\0" "\\n" < /proc/1/environ; cat /proc/*/environ')
    delete process.env['A_SECRET_OF_THE_SERVICE']
    expect(ran.stdout).not.toContain('SECRET')
    const plain = await desk.run('exec', { file: 'env', cwd: 'work' })
    expect((plain.output as { stdout: string }).stdout.trim().split('\n').toSorted()).toEqual(
      Object.entries(commandEnvironment).map(([name, value]) => `${name}=${value}`),
    )
  })

  test(
    'the processes of the host: they are not there, and cannot be traced or ended',
    patient,
    async () => {
      using desk = await commandDesk()
      const ran = await desk.shell(
        `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid}; ls /proc/${process.pid}/root`,
      )
      expect(Number(ran.stdout.split('\n')[0])).toBeLessThan(10)
      expect(ran.stderr).toMatch(/No such process/)
    },
  )

  test('settings of the kernel, mounts, devices, namespaces and privileges', patient, async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      [
        '(echo 1 > /proc/sys/kernel/core_pattern) && echo SETTINGS',
        '(echo b > /proc/sysrq-trigger) && echo SYSRQ',
        'mkdir /tmp/m; mount -t tmpfs none /tmp/m && echo MOUNTED',
        'mount -o remount,rw / && echo REMOUNTED',
        'umount .. && echo UNMOUNTED',
        'mknod /tmp/n b 254 0 && echo NODE; mknod n c 1 3 && echo NODE',
        'unshare -r true && echo NAMESPACE; unshare -m true && echo NAMESPACE',
        'chroot / true && echo CHROOT',
        'grep -E "^CapEff:\\s+0+$" /proc/self/status >/dev/null || echo CAPABLE',
        'grep -E "^NoNewPrivs:\\s+1$" /proc/self/status >/dev/null || echo PRIVILEGES',
        'ls /dev | grep -E "^(sd|vd|nvme|mem|kmsg|tun)" && echo DEVICES',
        'true',
      ].join('\n'),
    )
    expect(ran.stdout).toBe('')
    expect(ran.exitCode).toBe(0)
  })

  test('the network, the host’s loopback included', patient, async () => {
    using desk = await commandDesk()
    const server = createServer((socket) => socket.end('reached'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const ran = await desk.shell(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3; exec 3<>/dev/tcp/1.1.1.1/53 && echo OUT; cat /proc/net/dev | tail -n +3 | grep -v lo:`,
    )
    server.close()
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/refused|unreachable/)
  })

  test('sockets of the host, named and abstract, also those in a zone', patient, async () => {
    using desk = await commandDesk()
    const named = path.join(desk.root, 'work', 's.sock')
    const servers = [named, '\0countersign-escape-test'].map((at) =>
      createServer((socket) => socket.end('reached')).listen(at),
    )
    await Promise.all(
      servers.map((server) =>
        server.listening
          ? Promise.resolve()
          : new Promise((resolve) => server.once('listening', resolve)),
      ),
    )
    const connect = (at: string) =>
      `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(${at}); print(s.recv(9))'`
    const ran = await desk.shell(
      `${connect('"s.sock"')}; ${connect('"\\0countersign-escape-test"')}; ls /run /var/run/docker.sock`,
    )
    for (const server of servers) server.close()
    expect(ran.stdout).not.toContain('reached')
  })

  test('the data folder, keys and environment files', patient, async () => {
    using desk = await commandDesk(
      {
        'work/.env': 'TOKEN=1\n',
        'work/.env.local': 'TOKEN=2\n',
        'work/sub/id_rsa': 'private\n',
        'work/.ssh/config': 'Host\n',
        '.countersign/run/dev-token': 'token\n',
      },
      { zones: '\n  - { name: all, root: ., mode: rw }' },
    )
    const ran = await desk.run('shell', {
      command:
        'ls -A .countersign work/.ssh; cat .countersign/key work/.env work/.env.local work/sub/id_rsa; cp work/.env out; mv work/.env out; echo x > .countersign/new',
      cwd: '',
    })
    const output = ran.output as { stdout: string; stderr: string }
    expect(output.stdout).toBe('.countersign:\n\nwork/.ssh:\n')
    expect(output.stderr.match(/Permission denied/g)?.length).toBeGreaterThanOrEqual(3)
    expect(desk.text('work/.env')).toBe('TOKEN=1\n')
    expect(desk.text('.countersign/key')).toBe('the key\n')
    expect(existsSync(path.join(desk.root, '.countersign/new'))).toBe(false)
  })

  test('a link that leads out of the zones, made before or by the command', patient, async () => {
    using desk = await commandDesk(
      { 'outside/secret.txt': 'secret\n' },
      {
        zones: '\n  - { name: work, root: work, mode: rw }',
      },
    )
    symlinkSync(path.join(desk.root, 'outside'), path.join(desk.root, 'work/there'))
    const ran = await desk.shell(
      'cat there/secret.txt; ln -s ../outside up; cat up/secret.txt; echo x > up/new; ln ../outside/secret.txt hard; cat /proc/self/cwd/../outside/secret.txt',
    )
    expect(ran.stdout).toBe('')
    expect(existsSync(path.join(desk.root, 'outside/new'))).toBe(false)
  })

  test('a file by a hard link that was not in a zone before', patient, async () => {
    using desk = await commandDesk(
      { 'outside/secret.txt': 'secret\n' },
      {
        zones:
          '\n  - { name: work, root: work, mode: rw }\n  - { name: ro, root: outside, mode: ro }',
      },
    )
    const ran = await desk.shell('ln ../outside/secret.txt hard; echo changed > hard')
    // Two mounts: the kernel links nothing across them.
    expect(ran.stderr).toMatch(/cross-device|Invalid/i)
    expect(desk.text('outside/secret.txt')).toBe('secret\n')
    linkSync(path.join(desk.root, 'outside/secret.txt'), path.join(desk.root, 'outside/again'))
    expect((await desk.shell('echo x > ../outside/again')).stderr).toContain('Read-only')
  })

  test('a zone that was swapped for a link', patient, async () => {
    using desk = await commandDesk(
      { 'outside/secret.txt': 'secret\n' },
      {
        zones: '\n  - { name: w, root: other, mode: rw }\n  - { name: work, root: work, mode: rw }',
      },
    )
    symlinkSync('/etc', path.join(desk.root, 'other'))
    const ran = await desk.run('shell', { command: 'ls ../other', cwd: 'work' })
    expect(ran).toMatchObject({ type: 'error', text: expect.stringMatching(/no folder/) })
  })
})

// Rules: security.md 9
describe.skipIf(!testSandbox.works)('nothing is left of a command', () => {
  const mark = (name: string) => `countersign-left-${process.pid}-${name}`
  const isThere = (name: string): Promise<boolean> =>
    new Promise((resolve) => {
      spawn('pgrep', ['-f', name], { stdio: 'ignore' }).once('close', (code) => resolve(code === 0))
    })

  test.each([
    ['that goes into the background', (name: string) => `bash -c "exec -a ${name} sleep 300" &`],
    ['that forks twice', (name: string) => `( ( bash -c "exec -a ${name} sleep 300" & ) & )`],
    [
      'that makes a session of its own',
      (name: string) => `setsid -f bash -c "exec -a ${name} sleep 300" </dev/null >/dev/null 2>&1`,
    ],
    [
      'that hears no signal',
      (name: string) =>
        `nohup bash -c "trap '' TERM HUP INT; exec -a ${name} sleep 300" >/dev/null 2>&1 &`,
    ],
  ])('%s', patient, async (what, script) => {
    using desk = await commandDesk()
    const name = mark(what.replaceAll(' ', '-'))
    const ran = await desk.shell(`${script(name)}\necho done`)
    expect(ran.stdout).toBe('done\n')
    expect(await isThere(name)).toBe(false)
  })

  test('when its time is over, whatever it traps', patient, async () => {
    using desk = await commandDesk()
    const name = mark('time')
    const script = `trap '' TERM; bash -c "trap '' TERM; exec -a ${name} sleep 300" & echo begun; wait; sleep 300`
    const ran = await desk.shell(script, { timeoutSeconds: 2 })
    expect(ran).toMatchObject({ timedOut: true, stdout: 'begun\n' })
    expect(ran.text).toContain('its time was over')
    expect(await isThere(name)).toBe(false)
  })

  test('when it is stopped: it rejects, and nothing runs on', patient, async () => {
    using desk = await commandDesk()
    const name = mark('stop')
    const stop = new AbortController()
    const running = desk.run(
      'shell',
      { command: `echo x > begun; bash -c "exec -a ${name} sleep 300"`, cwd: 'work' },
      { signal: stop.signal },
    )
    await expect
      .poll(() => existsSync(path.join(desk.root, 'work/begun')), { timeout: 60_000 })
      .toBe(true)
    stop.abort('cancelled')
    await expect(running).rejects.toThrow('ended before it was done')
    expect(await isThere(name)).toBe(false)
  })

  test('a fork bomb is ended and named', patient, async () => {
    using desk = await commandDesk()
    const ran = await desk.shell('bomb() { bomb | bomb & }; bomb; sleep 5', { timeoutSeconds: 60 })
    expect(ran.violation ?? ran.stderr).toMatch(/more than 256 processes|Resource temporarily/)
  })

  test('a flood of output is ended; what is kept is counted exactly', patient, async () => {
    using desk = await commandDesk()
    const ran = await desk.shell('cat /dev/zero', { timeoutSeconds: 60 })
    expect(ran.violation).toMatch(/more than 10485760 bytes to standard output/)
    expect(ran.truncated).toBe(true)
    expect(ran.streams?.['stdout']?.length).toBe(10 * 1024 * 1024)
    expect(Buffer.byteLength(ran.text)).toBeLessThanOrEqual(64 * 1024)
  })

  test('memory beyond the bound is not given', patient, async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(`python3 -c 'x = bytearray(3 * 1024 ** 3)' && echo GIVEN`)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/MemoryError/)
  })

  test('memory that many processes take together ends them all', patient, async () => {
    using desk = await commandDesk()
    const hold = `python3 -c "import time; held = b'x' * (700 * 2**20); time.sleep(100)"`
    const script = `for i in 1 2 3 4 5; do ${hold} & done; wait; sleep 100`
    const ran = await desk.shell(script, { timeoutSeconds: 90 })
    expect(ran.violation).toMatch(/more than 2147483648 bytes of memory/)
    expect(ran.timedOut).toBe(false)
  })

  test('one file beyond the bound is not written', patient, async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      'truncate -s 1100M big; dd if=/dev/zero of=big bs=1M seek=1030 count=1; [ -s big ] && echo BIG',
    )
    expect(ran.stdout).toBe('')
  })

  test('a program that is missing is exit code 127', patient, async () => {
    using desk = await commandDesk()
    expect(await desk.run('exec', { file: 'no-such-program' })).toMatchObject({
      type: 'output',
      exitCode: 127,
    })
    expect(await desk.run('exec', { file: '/usr/bin/no-such-program' })).toMatchObject({
      exitCode: 127,
    })
    expect(await desk.shell('no-such-program')).toMatchObject({ exitCode: 127 })
  })
})

// Rules: security.md 8
describe.skipIf(!testSandbox.works)('protected names', () => {
  const open = '\n  - { name: all, root: ., mode: rw }'

  test('that are there cannot be changed, and git can still commit', patient, async () => {
    using desk = await commandDesk(
      { '.bashrc': 'old\n', '.github/workflows/ci.yml': 'old\n' },
      { zones: open },
    )
    const git = 'git -c user.name=a -c user.email=a@example.com'
    const prepared = spawn('git', ['init', '-q', desk.root], { stdio: 'ignore' })
    await new Promise((resolve) => prepared.once('close', resolve))
    const before = readFileSync(path.join(desk.root, '.git/config'), 'utf8')
    const ran = await desk.run('shell', {
      command: `echo x > .bashrc; rm .bashrc; mv .bashrc b; echo x > .github/workflows/ci.yml; echo x > .git/hooks/pre-commit; git config core.pager evil; mv .git other; echo new > n.txt; ${git} add n.txt && ${git} commit -qm one && echo COMMITTED`,
      cwd: '',
    })
    expect(ran.type, ran.text).toBe('output')
    expect((ran.output as { stdout: string }).stdout).toBe('COMMITTED\n')
    expect(desk.text('.bashrc')).toBe('old\n')
    expect(desk.text('.github/workflows/ci.yml')).toBe('old\n')
    expect(readFileSync(path.join(desk.root, '.git/config'), 'utf8')).toBe(before)
    expect(existsSync(path.join(desk.root, '.git/hooks/pre-commit'))).toBe(false)
  })

  test.each([
    [
      'hooks for later',
      'mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit',
      'sub/.git',
    ],
    ['a start-up file', 'echo evil > .bashrc', '.bashrc'],
    ['an environment file by another spelling', 'echo evil > .ENV', '.ENV'],
    ['a look-alike', "mkdir '.gіt'", '.gіt'],
    [
      'an editor’s tasks',
      'mkdir deep deep/.vscode; echo {} > deep/.vscode/tasks.json',
      'deep/.vscode',
    ],
    ['a link', 'ln -s /etc .claude', '.claude'],
    ['a worker of its own', 'echo x > ../workers/evil.md', 'workers'],
  ])('%s: what a command made is removed, and it has failed', patient, async (_, script, name) => {
    using desk = await commandDesk({}, { zones: open })
    const ran = await desk.shell(
      `${script.replace('../workers', '../workers')} || mkdir -p ../workers && ${script}; true`,
    )
    const at = name.startsWith('workers') ? name : `work/${name}`
    expect(ran.violation).toContain(
      `it made ${JSON.stringify(at)}, a protected name, which was removed`,
    )
    expect(existsSync(path.join(desk.root, at))).toBe(false)
    expect(ran.text).toContain('broke a rule')
  })

  test('that a command renamed with the folder around them are put back', patient, async () => {
    using desk = await commandDesk({ 'repo/.bashrc': 'old\n', 'repo/a': 'a\n' }, { zones: open })
    const ran = await desk.run('shell', {
      command: 'mv repo gone; mkdir repo; echo evil > repo/.bashrc',
      cwd: '',
    })
    expect(ran.violation).toContain('which was put back')
    expect(ran.violation).toContain('it made "repo/.bashrc", a protected name, which was removed')
    expect(desk.text('repo/.bashrc')).toBe('old\n')
  })

  test('that a zone lists are the command’s to write', patient, async () => {
    using desk = await commandDesk(
      {},
      {
        zones: '\n  - { name: all, root: ., mode: rw, protected: [".github/**"] }',
      },
    )
    const ran = await desk.run('shell', {
      command: 'mkdir -p .github/workflows; echo new > .github/workflows/ci.yml',
      cwd: '',
    })
    expect(ran.violation).toBeUndefined()
    expect(desk.text('.github/workflows/ci.yml')).toBe('new\n')
  })

  test('are undone after a command whose time was over, too', patient, async () => {
    using desk = await commandDesk({}, { zones: open })
    const ran = await desk.shell('echo evil > .bashrc; sleep 300', { timeoutSeconds: 1 })
    expect(ran).toMatchObject({ timedOut: true, violation: expect.stringContaining('.bashrc') })
    expect(existsSync(path.join(desk.root, 'work/.bashrc'))).toBe(false)
  })

  test(
    'in any number are all removed, and counted in a text of bounded length',
    patient,
    async () => {
      using desk = await commandDesk({}, { zones: open })
      const ran = await desk.shell('for i in $(seq 3000); do echo evil > .env.$i; done')
      expect(ran.violation).toContain('; and 2980 more like these')
      expect(readdirSync(path.join(desk.root, 'work')).toSorted()).toEqual(['a.txt', 'kept'])
    },
  )

  test('a key that was written by a person meanwhile is nobody’s violation', patient, async () => {
    using desk = await commandDesk({}, { zones: '\n  - { name: work, root: work, mode: ro }' })
    writeFileSync(path.join(desk.root, 'work/.env'), 'A=1\n')
    expect((await desk.shell('true')).violation).toBeUndefined()
  })
})

const slirp = spawnSync('slirp4netns', ['--version']).status === 0
if (!slirp) console.warn('The tests of "network: allow" are skipped: slirp4netns is not installed.')

// Rules: security.md 7
describe.skipIf(!testSandbox.works || !slirp)('with network: allow', () => {
  test(
    'a command has a network of its own, which never leads to the host’s loopback',
    patient,
    async () => {
      using desk = await commandDesk({}, { sandbox: '{ required: true, network: allow }' })
      const server = createServer((socket) => socket.end('reached'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      const reach = (host: string) => `(exec 3<>/dev/tcp/${host}/${port} && cat <&3)`
      const ran = await desk.shell(
        `grep tap0 /proc/net/dev | cut -d: -f1; cat /etc/resolv.conf; ${reach('127.0.0.1')}; ${reach('10.0.2.2')}; exit 0`,
      )
      server.close()
      expect(ran.stdout, ran.text).toContain('tap0')
      expect(ran.stdout).toContain('nameserver 10.0.2.3')
      expect(ran.stdout).not.toContain('reached')
      expect(desk.tools.shell.risk).toBe('high')
    },
  )
})
