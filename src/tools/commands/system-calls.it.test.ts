import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandDesk, testSandbox } from './commands.fixture.ts'
import { hasPython, pythonCalls } from './python.fixture.ts'

/** What each probe, an expression of Python, ends with in a command. */
async function probed(probes: readonly string[]): Promise<Record<string, string>> {
  using desk = await commandDesk({
    'work/probe.py': `${pythonCalls}
probes = json.load(sys.stdin)
answers = {}
for probe in probes:
    try: answers[probe] = str(eval(probe))
    except OSError as error: answers[probe] = errno.errorcode[error.errno]
print(json.dumps(answers))
`,
    'work/probes.json': JSON.stringify(probes),
  })
  const ran = await desk.shell('python3 probe.py < probes.json')
  if (ran.exitCode !== 0) expect.fail(ran.text)
  return JSON.parse(ran.stdout) as Record<string, string>
}

/**
 * Numbers on x64 and on arm64, written out once more: a wrong one in the filter must not be tested
 * by itself.
 */
const on = (x64: number, arm64: number, ...args: readonly (number | string)[]): string =>
  `call(${x64} if x64 else ${arm64}, ${args.join(', ')})`

// Rules: security.md 30
describe.skipIf(!testSandbox.works || !hasPython)('the kernel refuses a command', () => {
  test.each<[what: string, error: string, probes: readonly string[]]>([
    [
      'a keyring',
      'EPERM',
      [
        on(250, 219, 0, -3, 0),
        on(250, 219, 1, 0),
        on(248, 217, 'b"user"', 'b"name"', 'b"value"', 5, -3),
        on(249, 218, 'b"user"', 'b"name"', 0, -3),
      ],
    ],
    [
      'a look into another process',
      'EPERM',
      [
        on(101, 117, 0, 0, 0, 0),
        on(310, 270, 'os.getpid()', 0, 0, 0, 0, 0),
        on(311, 271, 'os.getpid()', 0, 0, 0, 0, 0),
        on(312, 272, 'os.getpid()', 'os.getpid()', 0, 0, 0),
        on(438, 438, 0, 0, 0),
      ],
    ],
    [
      'programs and counters of its own',
      'EPERM',
      [on(321, 280, 0, 0, 0), on(298, 241, 0, 0, -1, -1, 0), on(323, 282, 1)],
    ],
    [
      'a mount or another root',
      'EPERM',
      [
        on(165, 40, 'b"none"', 'b"/tmp"', 'b"tmpfs"', 0, 0),
        on(166, 39, 'b"/tmp"', 0),
        on(155, 41, 'b"/tmp"', 'b"/tmp"'),
        on(161, 51, 'b"/tmp"'),
        ...[430, 431, 432, 433, 428, 429, 442].map((number) => on(number, number, 0, 0, 0, 0, 0)),
      ],
    ],
    [
      'a namespace',
      'EPERM',
      [
        on(272, 97, 0x10000000),
        on(272, 97, 0x40000000),
        on(272, 97, 0x80),
        on(56, 220, 0x10000000 + 17, 0, 0, 0, 0),
        on(308, 268, 0, 0),
      ],
    ],
    [
      'a call whose arguments no filter can see',
      'ENOSYS',
      [
        on(435, 435, 0, 88),
        on(437, 437, -100, 'b"made"', 0, 24),
        on(425, 425, 1, 0),
        on(426, 426, 0, 0, 0, 0, 0, 0),
      ],
    ],
    ['a call newer than the filter', 'ENOSYS', [on(463, 463), on(467, 467), on(100_000, 100_000)]],
    [
      'a socket to the hypervisor, or of any family but local and internet',
      'EAFNOSUPPORT',
      [40, 38, 17, 3, 21, 30, 44].map((family) => `socket.socket(${family}, socket.SOCK_STREAM)`),
    ],
    [
      'netlink but for routes',
      'EAFNOSUPPORT',
      [9, 12, 15, 16].map((protocol) => `socket.socket(16, socket.SOCK_RAW, ${protocol})`),
    ],
    [
      'characters typed into a terminal, whatever the upper bits of the command are',
      'EPERM',
      [0x5412, 0x541c].flatMap((command) => [
        on(16, 29, 'os.openpty()[0]', command, 'b"x"'),
        on(16, 29, 'os.openpty()[0]', `(7 << 32) + ${command}`, 'b"x"'),
      ]),
    ],
    [
      'space without a byte written',
      'ENOTSUP',
      [
        ...[0, 1, 0x10].map((mode) => on(285, 47, 'os.open("f", 66)', mode, 0, 5_000_000_000)),
        ...[0x40305828, 0x4030582a, 0x40305839].map(
          (command) =>
            `fcntl.ioctl(os.open("f", 66), ${command}, struct.pack("hhqqiI16x", 0, 0, 0, 1 << 20, 0, 0))`,
        ),
      ],
    ],
    [
      'the machine itself',
      'EPERM',
      [
        on(246, 104, 0, 0, 0, 0),
        on(175, 105, 0, 0, 'b""'),
        on(313, 273, 0, 'b""', 0),
        on(176, 106, 'b"x"', 0),
        on(169, 142, 0, 0, 0, 0),
        on(167, 224, 'b"f"', 0),
        on(179, 60, 0, 0, 0, 0),
        on(304, 265, 0, 0, 0),
        on(103, 116, 3, 'b"x"', 1),
      ],
    ],
  ])('%s', async (_, error, probes) => {
    const answers = await probed(probes)
    expect(answers).toEqual(Object.fromEntries(probes.map((probe) => [probe, error])))
  })

  test('a system call by the numbers of another architecture: the command is ended', async () => {
    if (process.arch !== 'x64') return
    using desk = await commandDesk({
      'work/x32.py': `${pythonCalls}\nprint(call(0x40000000 + 39))`,
      // getpid by the 32-bit entry: mov eax, 20; int 0x80; ret
      'work/i386.py': `${pythonCalls}
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('b814000000cd80c3'))
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())`,
    })
    for (const script of ['x32.py', 'i386.py']) {
      const ran = await desk.shell(`python3 ${script}`)
      expect(ran.stdout, script).toBe('')
      // SIGSYS
      expect(ran.exitCode, script).toBe(128 + 31)
    }
  })
})

// Rules: security.md 30
describe.skipIf(!testSandbox.works)(
  'no set-user-id or set-group-id file remains after a command',
  () => {
    const isSetId = (at: string): boolean => (lstatSync(at).mode & 0o6000) !== 0

    test.skipIf(!hasPython)('by any call that gives a mode', async () => {
      const calls = [
        ...[0o4755, 0o2755, 0o6777].flatMap((mode) => [
          on(91, 52, 'os.open("f", 66)', mode),
          on(268, 53, -100, 'b"probe.py"', mode),
          on(452, 452, -100, 'b"probe.py"', mode, 0),
          on(257, 56, -100, 'b"made"', 0o101, mode),
          on(257, 56, -100, 'b"."', 0o20200002, mode),
          on(259, 33, -100, 'b"node"', `0o100000 + ${mode}`, 0),
          on(258, 34, -100, 'b"folder"', mode),
        ]),
        `call(90, b"probe.py", 0o4755) if x64 else "EPERM"`,
        `call(85, b"made", 0o4755) if x64 else "EPERM"`,
        `call(2, b"made", 0o101, 0o4755) if x64 else "EPERM"`,
        `call(133, b"node", 0o104755, 0) if x64 else "EPERM"`,
        `call(83, b"folder", 0o2755) if x64 else "EPERM"`,
      ]
      const answers = await probed(calls)
      expect(answers).toEqual(Object.fromEntries(calls.map((probe) => [probe, 'EPERM'])))
    })

    test('by a program: install, chmod, cp, tar, a hard link', async () => {
      using desk = await commandDesk({ 'work/tool': '#!/bin/sh\nid\n' })
      const ran = await desk.shell(
        [
          'install -m 4755 tool one; chmod u+s tool; chmod 6755 tool; cp tool two && chmod g+s two',
          'cp -p /usr/bin/passwd three; ln /usr/bin/passwd four; cp -a /usr/bin/su five',
          'tar -cf a.tar --mode=4755 tool; mkdir out; tar -xpf a.tar -C out',
          'python3 -c "import os; os.umask(0); os.close(os.open(\'six\', os.O_CREAT | os.O_WRONLY, 0o4777))"',
          'mkdir -m 2777 seven; setcap cap_setuid+ep tool',
          `python3 -c "import os; os.setxattr('tool', 'security.capability', bytes.fromhex('0100000280000000000000000000000000000000'))"`,
          'ls',
        ].join('\n'),
      )
      const made = readdirSync(path.join(desk.root, 'work'), { recursive: true, encoding: 'utf8' })
      expect(made).toContain('two')
      for (const name of made) expect(isSetId(path.join(desk.root, 'work', name)), name).toBe(false)
      expect(ran.stderr).toMatch(/Operation not permitted/)
    })

    test('an ordinary mode is kept, sticky folders too', async () => {
      using desk = await commandDesk({ 'work/tool': 'x\n' })
      const ran = await desk.shell(
        'chmod 755 tool && cp -p tool two && mkdir -m 1777 shared && stat -c %a tool two shared',
      )
      expect(ran.stdout).toBe('755\n755\n1777\n')
    })
  },
)

// Rules: security.md 30
test.skipIf(!testSandbox.works)(
  'the programs that developers use work in the sandbox',
  async () => {
    using desk = await commandDesk({
      'work/main.c': '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n',
      'work/Makefile': 'all:\n\t@echo made\n',
      'work/package.json': '{ "scripts": { "test": "echo tested" } }',
    })
    const run = async (needs: string, script: string, expected: RegExp): Promise<void> => {
      if (
        spawnSync('/bin/sh', ['-c', `PATH=/usr/local/bin:/usr/bin command -v ${needs}`]).status !==
        0
      )
        return
      const ran = await desk.shell(script)
      expect(`${ran.exitCode} ${ran.stdout}`, ran.text).toMatch(expected)
    }
    await run(
      'git',
      'git init -q r && cd r && echo a > a && git add a && git status --short',
      /^0 A {2}a/,
    )
    await run('node', 'node -e "console.log(Object.keys(os.networkInterfaces()).length)"', /^0 \d/)
    await run('npm', 'npm test --silent', /^0 tested/)
    await run(
      'python3',
      "python3 -c \"import os, threading, subprocess; os.posix_fallocate(os.open('f', 66), 0, 9999); threading.Thread(target=print, args=[1]).start(); subprocess.run(['true'], check=True)\"",
      /^0 1/,
    )
    await run('make', 'make -s', /^0 made/)
    await run('gcc', 'gcc -o main main.c && ./main', /^0 compiled/)
    await run('tar', 'mkdir d && touch d/x && tar -czf d.tgz d && tar -tzf d.tgz', /^0 d\/\nd\/x/)
  },
)
