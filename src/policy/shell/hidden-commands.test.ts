import { expect, test } from 'vitest'
import { analyseCommand } from './analyse-command.ts'
import { whyUnread } from './blocked-commands.ts'
import { judgeBy, rule } from './judging.fixture.ts'

/** `git push` where a program runs its own arguments, or the text of an option. */
const hidden: readonly string[] = [
  'git-push',
  '/usr/lib/git-core/git-push origin',
  'git for-each-repo --config=x push',
  "git fetch --upload-pack='git push' x",
  "git fetch --upl='git push' x",
  "git fetch 'ext::git push'",
  "git clone 'ext::sh -c git% push' x",
  "git remote add x 'ext::git push'",
  "git clone -u 'git push' x y",
  "git clone -u'git push' x y",
  "git ls-remote --exec='git push' x",
  "git grep -O'git push' x",
  "git grep --open-files-in-pager='git push' x",
  "git grep --op='git push' x",
  "git send-email --sendmail-cmd='git push' x",
  "git archive --remote=. --exec='git push' HEAD",
  "git instaweb --httpd='git push'",
  "git difftool --extcmd='git push'",
  "git rebase --exec 'git push' main",
  'git bisect run git push',
  "git shell -c 'git push'",
  'fd -x git push',
  'fdfind --exec git push',
  "rsync -e 'git push' a b:",
  "rsync --rsh='git push' a b:",
  "scp -S 'git push' a h:",
  "sftp -o ProxyCommand='git push' h",
  "nc -e 'git push' h 1",
  "ncat --sh-exec 'git push' h 1",
  "socat - EXEC:'git push'",
  "socat - 'SYSTEM:git push'",
  "split --filter='git push' x",
  "zip x y -T -TT 'git push'",
  "install --strip-program='git push' -s a b",
  "tcpdump -z 'git push' -G 1 x",
  "hg --config alias.x='!git push' x",
  "svn --config-option=config:tunnels:x='git push' co svn+x://h",
  "cvs -e 'git push'",
  "gpg --photo-viewer 'git push' x",
  'gpg-agent --daemon git push',
  "aria2c --on-download-complete='git push' x",
  "wget --use-askpass='git push' x",
  "lynx -editor='git push' x",
  "mutt -e '!git push'",
  'gcc -wrapper git,push x.c',
  'ip netns exec x git push',
  "crontab - <<< '* * * * * git push'",
  "mapfile -C 'git push' -c 1 x < y",
  "readarray -tC 'git push' x < y",
  "complete -C 'git push' x",
  "compgen -C 'git push'",
  'bind -x \'"x":git push\'',
  "sg group 'git push'",
  'eatmydata git push',
  'proxychains git push',
  'conda run git push',
  'pipenv run git push',
  "nix-shell --run 'git push'",
  'nix run x -- git push',
  'mosh h -- git push',
  'systemd-inhibit git push',
  'xterm -e git push',
  'watchexec git push',
  'ccache git push',
  "sed '1e git push' x",
  "tar -cf x y --checkpoint-action='exec=git push'",
  "ssh -o ProxyCommand='git push' h",
  'awk \'BEGIN{system("git push")}\'',
  "vim -c '!git push'",
  "make --eval='x:;git push'",
  'python -c \'import os; os.system("git push")\'',
  "npm exec -c 'git push'",
  "sqlite3 x '.shell git push'",
  "script -qc 'git push' /dev/null",
  "su -s /bin/sh -c 'git push' root",
  "parallel 'git push' ::: x",
  "sort --compress-program='git push' x",
  "rg --pre='git push' x",
  "rg --pre 'git push' x",
  'env git-push',
  'sudo git-push',
  'nohup git-push &',
  'echo origin | xargs git-push',
  "bash -c 'git-push'",
  'find . -exec git-push {} +',
  'git submodule foreach git-push',
  'ssh h git-push',
  'scp -S git-push a h:',
  'env git-for-each-repo --config=x push',
  'git-for-each-repo --config=x push',
  'git -C x for-each-repo --config y --keep-going push',
  'sudo git for-each-repo --config=x push',
  "bash -c 'git for-each-repo --config=x push'",
  "git -c alias.x='for-each-repo --config=y push' x",
  "git-fetch --upload-pack='git push' x",
  'git-bisect run git push',
  'git-rebase --exec git-push main',
  "git remote-ext x 'git push'",
  "git fetch-pack --exec='git push' x",
  "git clone --conf core.sshCommand='git push' x",
  'cmake -E env git push',
  "fzf --preview 'git push'",
  "fzf --bind 'enter:execute(git push)'",
  "lftp -e '!git push'",
  "rclone --password-command 'git push' ls x:",
  "borg --rsh 'git push' list x",
  "apt-get -o DPkg::Pre-Invoke::='git push' install x",
  "apt -oAPT::Update::Pre-Invoke::='git push' update",
  "dpkg --pre-invoke='git push' -i x.deb",
  'conda run -n x git push',
  'conda $(cat x) git push',
  'opam exec -- git push',
  'nix develop -c git push',
  "svn --editor-cmd 'git push' commit",
  "hg -e 'git push' clone ssh://h/x",
]

// Rules: security.md 1, 41; product.md 1
test.each(hidden)(
  'a blocked command in the arguments of another program is found: %s',
  async (script) => {
    const { approval } = await judgeBy([rule('git push', 'blocked')], script)
    expect(approval).toBe('blocked')
  },
)

/** The same words where nothing runs them. */
const harmless: readonly string[] = [
  "git commit -m 'do not git push yet'",
  'git log --grep="git push"',
  "grep 'git push' notes.md",
  'echo git push',
  "rg 'git push' docs",
  'git stash push',
  'git add -u',
  'git status -uall',
  'scp notes.md h:git/push',
  "split -l 10 'git push.md'",
  'install -m 755 git push',
  'mapfile -t git',
  'grep for-each-repo push notes.md',
  'echo for-each-repo push',
  'git log -- for-each-repo push',
  'git log for-each-repo push',
  "git grep --extended-regexp 'git push'",
  "git grep -O 'git push'",
  "git log --extended-regexp --grep='git push'",
  "git log -u --grep='git push'",
  "git log --oneline --grep='git push' -- clone",
  "git commit -u -m 'fix git push'",
  "git commit --untracked-files=no -m 'fix git push'",
  'git add -u src/git/push',
  "git tag -u key -m 'git push' x",
  "git log --grep='ext::git push'",
  "git merge --edit -m 'git push' x",
  'git commit -m git-push',
  'git log git-push',
  'git -C git-push status',
  'git checkout git-push',
  'echo git-push',
  'grep git-push docs/git/push',
  'rsync -ave ssh docs/git/push h:',
  'rsync --rsh=ssh docs/git/push h:',
  "rsync -e ssh 'git push.md' h:",
  'scp -P 22 docs/git/push h:',
  "scp -P 22 'git push.md' h:",
  'scp -o BatchMode=yes docs/git/push h:',
  'lynx -dump docs/git/push',
  "mutt -s 'git push' a@b",
  'conda install git push',
  'pdm add git push',
  'opam install git push',
  'nix search git push',
  'ip link show git push',
  'cmake --build git push',
  'apt-get -y install git push',
  "rg --pretty 'git push' docs",
  'tar -cf x docs/git/push',
  'tar -cf x --newer=x docs/git/push',
  "sort -c 'git push.md'",
  'gcc -o git push.c',
  "hg commit -m 'git push'",
  "hg commit -em 'git push'",
  "fzf --preview-window=up --query 'git push'",
]

test.each(harmless)(
  'the same words are not blocked where nothing runs them: %s',
  async (script) => {
    const { approval } = await judgeBy([rule('git push', 'blocked')], script)
    expect(approval).toBe('ask')
    const analysis = analyseCommand({ kind: 'shell', script, cwd: '' })
    expect(whyUnread([['git', 'push']], analysis)).toBeNull()
  },
)

// Rules: product.md 1
test.each([
  'grep for-each-repo push notes.md',
  'echo for-each-repo push',
  'echo git-push',
  'git log -- for-each-repo push',
  "git grep --extended-regexp 'git push'",
  "git log --extended-regexp --grep='git push'",
  "git log -u --grep='git push'",
])('a call that only reads stays pre-approved: %s', async (script) => {
  const readers = ['git log', 'git grep', 'grep', 'echo'].map((name) => rule(name, 'preApproved'))
  const { approval } = await judgeBy([rule('git push', 'blocked'), ...readers], script)
  expect(approval).toBe('preApproved')
})

// Rules: security.md 27
test.each([
  ['git', 'for-each-repo', 'a'],
  ['git', 'log', 'alias.a=b'],
  ['env', 'git-a', 'git-a'],
])(
  'the work is proportional to the number of words, and not to its square: %s %s %s…',
  (...words) => {
    const read = (count: number): number => {
      const [last = ''] = words.slice(-1)
      const argv = [...words, ...Array.from({ length: count }, () => last)]
      const { search } = analyseCommand({ kind: 'exec', argv, cwd: '' })
      const lists = new Set(
        search.commands.flatMap((command) => command.inner.map((start) => start.words)),
      )
      return [...lists].reduce((sum, list) => sum + list.length, 0)
    }
    expect(read(8000)).toBeLessThan(50_000)
  },
)
