import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { CHECKOUT } from '../runtime/folders.ts'

const templates = join(CHECKOUT, 'examples', 'starter')

/** Editors resolve `countersign` and `zod` through these; running needs neither. */
const editorFiles = {
  'package.json': {
    private: true,
    type: 'module',
    devDependencies: { countersign: `file:${CHECKOUT}`, zod: '^4.0.0' },
  },
  'tsconfig.json': {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
    },
    include: ['tools'],
  },
}

/** Writes a commented example of each file of a project. What is there already stays as it is, and is said. */
export async function runInit(dir: string): Promise<void> {
  const target = resolve(dir)
  await mkdir(target, { recursive: true })
  const files = (await readdir(templates, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile(),
  )
  for (const entry of files) {
    const source = join(entry.parentPath, entry.name)
    await place(target, relative(templates, source), (path) => cp(source, path))
  }
  for (const [name, content] of Object.entries(editorFiles)) {
    await place(target, name, (path) => writeFile(path, `${JSON.stringify(content, null, 2)}\n`))
  }
  await ignoreDataFolder(target)
  console.log(
    `\nNext, in ${target}:\n  name your people and teams in countersign.yaml\n  countersign check\n  countersign start`,
  )
}

async function place(
  target: string,
  name: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const path = join(target, name)
  if (await stat(path).catch(() => null)) {
    console.log(`kept     ${name}`)
    return
  }
  await mkdir(dirname(path), { recursive: true })
  await write(path)
  console.log(`written  ${name}`)
}

async function ignoreDataFolder(target: string): Promise<void> {
  const path = join(target, '.gitignore')
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  if (lines.includes('.countersign/')) return
  const kept = lines.filter((line, index) => line !== '' || index < lines.length - 1)
  await writeFile(path, `${[...kept, '.countersign/', '.env'].join('\n')}\n`)
  console.log('written  .gitignore (.countersign/, .env)')
}
