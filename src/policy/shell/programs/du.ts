import { flags, type Program } from './program.ts'

export const duProgram: Program = {
  names: ['du', 'df'],
  flags: flags(
    '-0 -a -b -B= -c -d= -D -h -H -i -k -l -L -m -P -s -S -t= -T -x --all --apparent-size',
    '--block-size= --bytes --total --dereference --max-depth= --human-readable --inodes',
    '--si --summarize --separate-dirs --threshold= --time? --time-style= --exclude= --one-',
    'file-system --local --portability --print-type --type= --exclude-type=',
  ),
}
