import { lstat, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { makeFolder, writeWhole } from '#runtime/files.ts'
import { checkoutFolder } from '#runtime/folders.ts'
import { version } from '#runtime/version.ts'
import { readRegularText } from '#sandbox/read-regular-file.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { writeOut } from '../terminal/write-out.ts'
import { printableLine } from '../text/terminal-text.ts'
import { ownCommandIn } from '#runtime/own-command.ts'
import { foreignFile, type FolderFacts, lookAtFolder } from './look-at-folder.ts'
import { proposeConfig } from './propose-config.ts'
import { proposeWorker } from './propose-worker.ts'

const templates = join(checkoutFolder, 'examples', 'starter')
const copiedFiles = ['scripts/assistant.yaml', 'tools/say-hello.ts']

const toolsPackage = '@countersign/tools'
/** The packages from which an editor takes the types of tools. Runs do not need them. */
const editorPackages = { [toolsPackage]: `^${version}`, zod: '^4.0.0' }
const editorFiles = {
  'package.json': {
    private: true,
    type: 'module',
    devDependencies: editorPackages,
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

/**
 * Writes the files of a project with comments, and with zones and rules for the contents of the
 * folder. Keeps files that exist, and prints their names. `workspace`: the folder in which the
 * workers work; `null`: `dir`. Rejects before it writes anything if an existing file would become a
 * part of the project only by its name.
 */
export async function runInit(dir: string, workspace: string | null): Promise<void> {
  const target = resolve(dir)
  const foreign = await foreignFile(target)
  if (foreign !== null) {
    throw new CommandFailure(
      `${foreign} would become a part of the project, but does not look like one. Create a folder for Countersign: ${ownCommandIn(process.cwd())} init ${join(dir, 'countersign')} --workspace ${dir}`,
    )
  }
  await makeFolder(target)
  const facts = await lookAtFolder(workspace === null ? target : resolve(workspace))
  for (const line of factLines(facts)) console.log(`found    ${printableLine(line)}`)
  const root = workspace === null ? null : relative(target, resolve(workspace)) || null
  await placeText(target, 'countersign.yaml', proposeConfig(facts, root))
  await placeText(target, 'workers/assistant.md', proposeWorker(facts))
  for (const name of copiedFiles) {
    await placeText(target, name, await readFile(join(templates, name), 'utf8'))
  }
  const hasOwnPackage = (await stat(join(target, 'package.json')).catch(() => null)) !== null
  for (const [name, content] of Object.entries(editorFiles)) {
    await placeText(target, name, `${JSON.stringify(content, null, 2)}\n`)
  }
  // Whoever had a package.json has said what Git ignores of it.
  await ignoreFiles(target, [...privateFiles, ...(hasOwnPackage ? [] : ['node_modules/'])])
  if (hasOwnPackage) {
    console.log(
      `         for editors: npm install --save-dev ${Object.keys(editorPackages).join(' ')} (running needs neither)`,
    )
  }
  if (facts.worktrees?.possible === true) {
    console.log(
      '         runs begin at the last commit: commit these files and your changes, so that runs have them',
    )
  }
  const command = ownCommandIn(target)
  console.log(
    `\nNext, in ${target}:\n  name your people and teams in countersign.yaml\n  ${command} check\n  ${command} start`,
  )
}

/** The facts about the folder that the proposal uses, one on each line. */
function factLines(facts: FolderFacts): string[] {
  const folders = [...facts.documents, ...facts.dependencies, ...facts.infrastructure]
  return [
    ...repositoryLines(facts),
    ...facts.toolChains.map(({ file, runs }) =>
      runs.length === 0 ? file : `${file}: rules for ${runs.join(', ')}`,
    ),
    ...folders.map((name) => `${name}/`),
  ]
}

function repositoryLines({ around, isGit, worktrees }: FolderFacts): string[] {
  if (around !== null) {
    return [`a Git repository around it, ${around}: only there runs can have a worktree each`]
  }
  if (!isGit) return []
  return worktrees?.possible === true
    ? [
        'a Git repository: rules for git, a worktree and branch for each run',
        ...worktrees.copy.map((name) => `${name}/: no commit has it, each worktree gets a copy`),
      ]
    : [`a Git repository: rules for git; no worktree for each run, since ${worktrees?.problem}`]
}

/** Writes a file whole, unless there is one: a full disk leaves no half of it to be kept. */
async function placeText(target: string, name: string, text: string): Promise<void> {
  const path = join(target, name)
  if (await leadsElsewhere(target, name)) return
  if (await stat(path).catch(() => null)) {
    console.log(`kept     ${name}`)
    return
  }
  await mkdir(dirname(path), { recursive: true })
  await writeWhole(path, text, 0o666)
  console.log(`written  ${name}`)
}

/** Whether a link is in the path: through one, a repository could have any file overwritten. */
async function leadsElsewhere(target: string, name: string): Promise<boolean> {
  for (const part of [dirname(name), name]) {
    const state = part === '.' ? null : await lstat(join(target, part)).catch(() => null)
    if (state?.isSymbolicLink() !== true) continue
    console.log(`left     ${name}: ${part} is a link`)
    return true
  }
  return false
}

/** The data folder and the file of keys. */
const privateFiles = ['.countersign/', '.env']

/** Adds names to `.gitignore`, unless it has them. */
async function ignoreFiles(target: string, names: readonly string[]): Promise<void> {
  const path = join(target, '.gitignore')
  if (await leadsElsewhere(target, '.gitignore')) return
  const text = await readRegularText(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  const lines = text.split('\n')
  const missing = names.filter((line) => !lines.includes(line))
  if (missing.length === 0) return
  const filled = lines.filter((line, index) => line !== '' || index < lines.length - 1)
  await writeOut(path, Buffer.from(`${[...filled, ...missing].join('\n')}\n`))
  console.log(`written  .gitignore (${missing.join(', ')})`)
}
