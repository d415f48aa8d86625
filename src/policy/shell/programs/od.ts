import { flags, type Program } from './program.ts'

export const odProgram: Program = {
  names: ['od', 'hexdump', 'strings'],
  flags: flags(
    '-A= -a -b -c -d -e= -f -i -j= -l -n= -N= -o -s -S= -t= -v -w? -x -C --address-radix=',
    '--endian= --skip-bytes= --read-bytes= --format= --output-duplicates --all --bytes=',
    '--radix= --encoding= --print-file-name',
  ),
}
