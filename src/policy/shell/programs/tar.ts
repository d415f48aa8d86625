import { flags, type Program } from './program.ts'

/** Listing alone: `--checkpoint-action`, `-I`, `--to-command` and others run programs, `-x` and `-c` write. */
export const tarProgram: Program = {
  names: ['tar', 'gtar', 'bsdtar'],
  runsText: /^-[A-Za-z]*[IF]|^--(?:use|to-c|checkp|info|new|rsh|rmt)|exec=/,
  flags: flags(
    '-j -J -t -v -z --bzip2 --gzip --list --verbose --xz --zstd -f=path --file=path -O',
    '--to-stdout --wildcards --no-recursion',
  ),
  refuses: (words) => {
    if (words[0]?.startsWith('-') !== true) return 'has old-style flags'
    if (!words.some((word) => word === '--list' || /^-[A-Za-z]*t/.test(word)))
      return 'does not list'
    return words.some((word) => word.includes(':')) ? 'may reach another host' : null
  },
}
