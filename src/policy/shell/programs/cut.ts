import { flags, type Program } from './program.ts'

export const cutProgram: Program = {
  names: ['cut'],
  flags: flags(
    '-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement',
    '--only-delimited --output-delimiter= --zero-terminated',
  ),
}
