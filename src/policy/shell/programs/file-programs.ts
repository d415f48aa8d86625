import { words } from '../../names/words.ts'
import { flags, type Program } from './program.ts'

const sameFlags = [
  ['-r', '-R', '--recursive'],
  ['-f', '--force'],
] as const

/** Programs that list, describe, find and change files. */
export const filePrograms: readonly Program[] = [
  {
    names: ['ls', 'dir', 'vdir'],
    reads: { from: 0 },
    flags: flags(
      '-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s',
      '-S -t -T= -u -U -v -w= -x -X -Z -1 --all --almost-all --color? --directory --classify',
      '--full-time --group-directories-first --human-readable --si --inode --dereference',
      '--numeric-uid-gid --reverse --recursive --size --sort= --time= --time-style= --width=',
      '--format= --indicator-style= --block-size= --hide= --ignore=',
    ),
  },
  // `-o` writes, `-R` runs the program again and writes.
  {
    names: ['tree'],
    reads: { from: 0 },
    flags: flags(
      '-a -d -f -F -g -h -i -I= -J -l -L= -n -N -p -P= -q -Q -r -s -S -t -u -U -v -x -X',
      '--dirsfirst --du --filelimit= --gitignore --ignore-case --matchdirs --noreport --prune',
      '--si --sort= --timefmt=',
    ),
  },
  {
    names: ['stat'],
    reads: { from: 0 },
    flags: flags('-c= -f -L -t --dereference --file-system --format= --printf= --terse'),
  },
  // `-C` compiles a magic file, `-m` names one, `-f` reads names from a file.
  {
    names: ['file'],
    reads: { from: 0 },
    flags: flags(
      '-b -h -i -I -k -L -N -n -p -r -s -v -z -0 --brief --mime --mime-type --mime-encoding',
      '--extension --keep-going --no-pad --dereference --no-dereference --raw',
    ),
  },
  {
    names: ['du', 'df'],
    reads: { from: 0 },
    flags: flags(
      '-0 -a -b -B= -c -d= -D -h -H -i -k -l -L -m -P -s -S -t= -T -x --all --apparent-size',
      '--block-size= --bytes --total --dereference --max-depth= --human-readable --inodes',
      '--si --summarize --separate-dirs --threshold= --time? --time-style= --exclude=',
      '--one-file-system --local --portability --print-type --type= --exclude-type=',
    ),
  },
  // Tests and printing; `-exec`, `-ok`, `-delete`, `-fprint` and their kin run, remove and write.
  {
    names: ['find'],
    reads: { from: 0 },
    runsWith: ['-exec', '-execdir', '-ok', '-okdir'],
    wordFlags: true,
    readsFolder: true,
    flags: flags(
      '-H -L -P -O1 -O2 -O3 -a -and -o -or -not -daystart -depth -d -empty -executable -readable -writable -false -true',
      '-follow -mount -xdev -noleaf -nouser -nogroup -nowarn -warn -print -print0 -prune -quit -ls',
      '-amin= -anewer=path -atime= -cmin= -cnewer=path -ctime= -fstype= -gid= -group= -ilname= -iname=',
      '-inum= -ipath= -iregex= -iwholename= -links= -lname= -maxdepth= -mindepth= -mmin= -mtime= -name=',
      '-newer=path -path= -perm= -printf= -regex= -regextype= -samefile=path -size= -type= -uid= -used=',
      '-user= -wholename= -xtype=',
    ),
  },
  // The program, not the builtin, whose `-v` evaluates its argument.
  {
    names: ['test', '['],
    flags: flags(
      '-a -o -b -c -d -e -f -g -G -h -k -L -n -N -O -p -r -s -S -t -u -w -x -z -eq -ne -lt',
      '-le -gt -ge -nt -ot -ef',
    ),
    wordFlags: true,
  },
  {
    names: ['basename', 'dirname'],
    flags: flags('-a -s= -z --multiple --suffix= --zero'),
  },
  {
    names: ['realpath', 'readlink'],
    flags: flags(
      '-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing',
      '--canonicalize-missing --logical --physical --no-newline --quiet --silent --strip --no-symlinks',
      '--verbose --zero --relative-to= --relative-base=',
    ),
  },
  {
    names: words('sha256sum sha1sum sha512sum sha384sum sha224sum b2sum md5sum cksum sum'),
    reads: { from: 0 },
    flags: flags(
      '-a= -b -c -l= -t -w -z -r -s --algorithm= --binary --check --length= --tag --text',
      '--zero --ignore-missing --quiet --status --strict --warn',
    ),
  },
  // Listing alone: `--checkpoint-action`, `-I`, `--to-command` and others run programs, `-x` and
  // `-c` write.
  {
    names: ['tar', 'gtar', 'bsdtar'],
    runsOption: /^-[A-Za-z]*[IF]|^--(?:use|to-c|checkp|info|new|rsh|rmt)|exec=/,
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
  },
  // Programs that remove, move or change files: a pre-approval is for exactly its words.
  {
    names: ['rm', 'rmdir', 'chmod', 'chown', 'mkdir', 'touch'],
    flags: null,
    sameFlags,
  },
  { names: ['ln'], flags: null, sameFlags, placesFiles: true },
  {
    names: ['cp', 'mv'],
    reads: { from: 0, butLast: true, options: /^(?:-[aLHPRdfilnpruvx]+|--[a-su-z][a-z-]+)$/ },
    flags: null,
    sameFlags,
    placesFiles: true,
  },
]
