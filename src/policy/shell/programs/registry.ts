import { awkProgram } from './awk.ts'
import { basenameProgram } from './basename.ts'
import { buildersProgram } from './builders.ts'
import { builtinsProgram } from './builtins.ts'
import { catProgram } from './cat.ts'
import { checksumProgram } from './checksum.ts'
import { commProgram } from './comm.ts'
import { curlProgram } from './curl.ts'
import { cutProgram } from './cut.ts'
import { dateProgram } from './date.ts'
import { diffProgram } from './diff.ts'
import { duProgram } from './du.ts'
import { echoProgram } from './echo.ts'
import { envProgram } from './env.ts'
import { fileProgram } from './file.ts'
import { findProgram } from './find.ts'
import { gitProgram } from './git.ts'
import { grepProgram } from './grep.ts'
import { headProgram } from './head.ts'
import { interpretersProgram } from './interpreters.ts'
import { jqProgram } from './jq.ts'
import { lsProgram } from './ls.ts'
import { niceProgram } from './nice.ts'
import { nlProgram } from './nl.ts'
import { nohupProgram } from './nohup.ts'
import { odProgram } from './od.ts'
import { packagesProgram } from './packages.ts'
import { printfProgram } from './printf.ts'
import { psProgram } from './ps.ts'
import { pwdProgram } from './pwd.ts'
import { realpathProgram } from './realpath.ts'
import { rgProgram } from './rg.ts'
import { rmProgram } from './rm.ts'
import { sedProgram } from './sed.ts'
import { seqProgram } from './seq.ts'
import { shellsProgram } from './shells.ts'
import { sortProgram } from './sort.ts'
import { statProgram } from './stat.ts'
import { sudoProgram } from './sudo.ts'
import { tailProgram } from './tail.ts'
import { tarProgram } from './tar.ts'
import { testProgram } from './test.ts'
import { timeoutProgram } from './timeout.ts'
import { trProgram } from './tr.ts'
import { treeProgram } from './tree.ts'
import { succeedProgram } from './true.ts'
import { unameProgram } from './uname.ts'
import { uniqProgram } from './uniq.ts'
import { wcProgram } from './wc.ts'
import { whichProgram } from './which.ts'
import { wrappersProgram } from './wrappers.ts'
import { xargsProgram } from './xargs.ts'
import type { Program } from './program.ts'

const programs: readonly Program[] = [
  awkProgram,
  basenameProgram,
  buildersProgram,
  builtinsProgram,
  catProgram,
  checksumProgram,
  commProgram,
  curlProgram,
  cutProgram,
  dateProgram,
  diffProgram,
  duProgram,
  echoProgram,
  envProgram,
  fileProgram,
  findProgram,
  gitProgram,
  grepProgram,
  headProgram,
  interpretersProgram,
  jqProgram,
  lsProgram,
  niceProgram,
  nlProgram,
  nohupProgram,
  odProgram,
  packagesProgram,
  printfProgram,
  psProgram,
  pwdProgram,
  realpathProgram,
  rgProgram,
  rmProgram,
  sedProgram,
  seqProgram,
  shellsProgram,
  sortProgram,
  statProgram,
  sudoProgram,
  tailProgram,
  tarProgram,
  testProgram,
  timeoutProgram,
  trProgram,
  treeProgram,
  succeedProgram,
  unameProgram,
  uniqProgram,
  wcProgram,
  whichProgram,
  wrappersProgram,
  xargsProgram,
]

const byName: ReadonlyMap<string, Program> = new Map(
  programs.flatMap((program) => program.names.map((name) => [name.toLowerCase(), program])),
)

/** What is known of a program by its name, without a path. */
export function programNamed(name: string): Program | undefined {
  return byName.get(name.toLowerCase())
}
