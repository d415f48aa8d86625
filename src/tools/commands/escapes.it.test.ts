import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, lstatSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandEnvironment } from '#sandbox/bwrap/command-environment.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { Snapshots } from '#sandbox/snapshots/snapshots.ts'
import { listenHere } from '#test/harness/listen.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { parsed } from '../workspace.fixture.ts'
import { commandDesk, testSandbox } from './commands.fixture.ts'
import { mountNamed } from './execution/mount-named.ts'

// Rules: security.md 7
describe.skipIf(!testSandbox.works)('a command in the sandbox does not reach', () => {
  test('the files of the host that no zone names', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      'cat /etc/shadow /etc/hostname /root/.ssh/id_rsa ~/.ssh/id_rsa; ls /root /home /var /mnt /sys; touch /new',
    )
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/\/etc\/shadow.*No such file/)
    expect(ran.stderr).toMatch(/touch.*Read-only file system/)
  })

  test('a read-only zone for writing, not even from within a writable one', async () => {
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
  test('the environment of the service', async () => {
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

  // Rules: security.md 2
  test('start-up files of a shell, or an input', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      'readlink /proc/self/fd/0; tr "\\0" " " < /proc/$$/cmdline | cut -d" " -f1-5; case $- in *p*) echo privileged;; esac; cat; echo "$BASH_ENV$ENV"',
    )
    expect(ran.stdout).toBe('/dev/null\n/bin/bash --norc --noprofile -p -c\nprivileged\n\n')
  })

  // Rules: security.md 3
  test('what an earlier command left in variables, functions, folders and /tmp', async () => {
    using desk = await commandDesk()
    const leave = 'export LEFT=1; ls() { echo LEFT; }; export -f ls; alias pwd=LEFT; cd /tmp'
    await desk.shell(`${leave}; touch LEFT /dev/shm/LEFT; umask 0; ulimit -n 64; set -o`)
    const ran = await desk.shell(
      'env; ls /tmp /dev/shm; pwd; type ls; umask; [ "$(ulimit -n)" -gt 64 ]',
    )
    expect(ran.stdout).not.toContain('LEFT')
    expect(ran.stdout).not.toMatch(/^0000$/m)
    expect(ran.stdout).toMatch(/\/work$/m)
    expect(ran.exitCode).toBe(0)
  })

  test('the processes of the host: they are invisible, and cannot be traced or ended', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid}; ls /proc/${process.pid}/root`,
    )
    expect(Number(ran.stdout.split('\n')[0])).toBeLessThan(10)
    expect(ran.stderr).toMatch(/No such process/)
  })

  // Root opens its own files in /proc without any capability; anybody else opens the keys only.
  test('what the kernel says about the memory and the keys of the whole host', async () => {
    using desk = await commandDesk()
    const files =
      'kcore key-users keys kpagecount kpageflags pagetypeinfo slabinfo vmallocinfo mtrr'
    const ran = await desk.shell(
      `for f in ${files}; do head -c 8 /proc/$f | grep -qa . && echo $f; done; echo end`,
    )
    expect(ran.stdout).toBe('end\n')
  })

  test('settings of the kernel, mounts, devices, namespaces and privileges', async () => {
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

  test('the network, the host’s loopback included', async () => {
    using desk = await commandDesk()
    const server = createServer((socket) => socket.end('reached'))
    const port = await listenHere(server)
    const ran = await desk.shell(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3; exec 3<>/dev/tcp/1.1.1.1/53 && echo OUT; cat /proc/net/dev | tail -n +3 | grep -v lo:`,
    )
    server.close()
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/refused|unreachable/)
  })

  test('sockets of the host, named and abstract, also those in a zone', async () => {
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

  test('the data folder, keys and environment files', async () => {
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

  test.each([
    ['', {}],
    [', whose path leads through a link', { linkedAs: path.join(newFolder('links '), 'project') }],
  ])('the data folder that an earlier start left in the project%s', async (_where, more) => {
    const dataDir = newFolder('countersign data elsewhere ')
    const zones = '\n  - { name: all, root: ., mode: rw }'
    const options = { zones, dataDir, ...more }
    const desk = await commandDesk({ '.countersign/run/dev-token': 'token\n' }, options)
    const command = 'ls -A .countersign; cat .countersign/key; echo x > .countersign/new'
    const ran = await desk.run('shell', { command, cwd: '' })
    expect((ran.output as { stdout: string }).stdout).toBe('')
    expect(desk.text('.countersign/key')).toBe('the key\n')
    expect(existsSync(path.join(desk.root, '.countersign/new'))).toBe(false)
  })

  test('a link that leads out of the zones, made before or by the command', async () => {
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

  test('a file outside of the writable zones by a hard link', async () => {
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

  // Rules: security.md 8, 10
  test('a key whose folder is moved while the sandbox is set up', async () => {
    const sandbox = testSandbox
    if (!sandbox.works) return
    using desk = await commandDesk({ 'work/b/.env': 'A=secret\n' })
    const at = (name: string): string => path.join(desk.root, name)
    const identity = (name: string): string => {
      const { dev, ino } = lstatSync(at(name), { bigint: true })
      return `${dev}:${ino}`
    }
    const none = { readOnly: [], pinned: [], emptied: [], copies: [], cwdIdentity: null }
    const planOf = (found: string): SandboxPlan => ({
      ...none,
      zones: [{ path: at('work'), mode: 'rw', identity: identity('work') }],
      covered: [at(found)],
      parents: new Map([[at(found), identity('work/b')]]),
      cwd: at('work'),
    })
    const read = (found: string) =>
      runSandboxed({
        ...sandbox,
        plan: planOf(found),
        argv: ['cat', 'b/.env'],
        timeoutMs: 60_000,
        limits: commandLimits,
        network: 'none',
        signal: new AbortController().signal,
      })
    expect((await read('work/b/.env')).stdout.bytes.toString()).toBe('')
    // The search found it in the folder `a`, which was renamed to `b` since.
    await expect(read('work/a/.env')).rejects.toMatchObject({ isSwapped: true })
    // The command gets no copy of it either, although it names it.
    await using snapshots = await Snapshots.open(at('.countersign'))
    const copied = await snapshots.take(desk.workspace, 'work/b/.env')
    const file = { path: 'work/b/.env', bytes: 9, hash: copied?.hash ?? '', role: 'reads' } as const
    const facts = { vectors: [], running: [], files: [file], programs: [], sandbox: {} }
    const mounts = (allowed: readonly string[]) =>
      mountNamed(desk.root, planOf('work/a/.env'), facts, snapshots, new Set(allowed))
    expect(await mounts([])).toEqual([])
    expect(await mounts([file.path])).toHaveLength(1)
  })

  test('a zone that was swapped for a link', async () => {
    using desk = await commandDesk(
      { 'outside/secret.txt': 'secret\n' },
      {
        zones: '\n  - { name: w, root: other, mode: rw }\n  - { name: work, root: work, mode: rw }',
      },
    )
    symlinkSync('/etc', path.join(desk.root, 'other'))
    const ran = await desk.run('shell', { command: 'ls ../other', cwd: 'work' })
    expect(ran).toMatchObject({ type: 'error', text: expect.stringMatching(/not a folder/) })
  })
})

const slirp = spawnSync('slirp4netns', ['--version']).status === 0
if (!slirp) console.warn('The tests of "network: allow" are skipped: slirp4netns is not installed.')

// Rules: security.md 7
describe.skipIf(!testSandbox.works || !slirp)('with network: allow', () => {
  test('a command has a network of its own, which never leads to the host’s loopback', async () => {
    using desk = await commandDesk({}, { sandbox: '{ required: true, network: allow }' })
    const server = createServer((socket) => socket.end('reached'))
    const port = await listenHere(server)
    const reach = (host: string) => `(exec 3<>/dev/tcp/${host}/${port} && cat <&3)`
    const ran = await desk.shell(
      `grep tap0 /proc/net/dev | cut -d: -f1; cat /etc/resolv.conf; ${reach('127.0.0.1')}; ${reach('10.0.2.2')}; exit 0`,
    )
    server.close()
    expect(ran.stdout, ran.text).toContain('tap0')
    expect(ran.stdout).toContain('nameserver 10.0.2.3')
    expect(ran.stdout).not.toContain('reached')
    expect(desk.tools.shell.risk).toBe('high')
  })
})

// Rules: workers-and-policy.md, shell rules
describe.skipIf(!testSandbox.works)('with a list of domains', () => {
  test('a command reaches nothing but the proxy, is told so, and the model reads why', async () => {
    using desk = await commandDesk({}, { sandbox: '{ required: true, network: [pypi.org] }' })
    const ask = (to: string) =>
      `(exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT ${to} HTTP/1.1\\r\\n\\r\\n' >&3 && cat <&3)`
    const ran = await desk.shell(
      `tail -n +3 /proc/net/dev | cut -d: -f1; echo $https_proxy; ${ask('evil.com:443')}; ${ask('127.0.0.1:22')}; exit 0`,
    )
    expect(ran.stdout, ran.text).toMatch(/^\s*lo\nhttp:\/\/127\.0\.0\.1:3128\nHTTP\/1\.1 403 /)
    expect(ran.text).toContain(
      'Not reached: evil.com is not listed: commands of this worker reach only pypi.org (sandbox.network).\n',
    )
    expect(ran.text).toContain('Not reached: 127.0.0.1 is an address')
    expect(desk.tools.shell.risk).toBe('medium')
    const { presentation } = await desk.tools.shell.present(
      await parsed(desk.tools.shell, { command: 'curl https://pypi.org' }),
      { workspace: desk.workspace, signal: new AbortController().signal },
    )
    expect(presentation.metadata).toMatchObject({
      sandbox: { network: ['pypi.org'] },
      environment: expect.arrayContaining(['HTTPS_PROXY', 'https_proxy']),
    })
  })
})
