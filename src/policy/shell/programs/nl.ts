import { flags, type Program } from './program.ts'

export const nlProgram: Program = {
  names: ['nl', 'rev', 'fold', 'expand', 'unexpand', 'fmt', 'column'],
  flags: flags(
    '-a -b= -c= -d= -f= -h= -i= -l= -n= -p -s= -t -v= -w= --body-numbering= --number-',
    'format= --number-width= --spaces --tabs= --width= --table',
  ),
}
