/** Files that agents usually write in a project. */
const FILES =
  "src/index.ts src/parser/words.ts src/styles/main.css src/components/Button.tsx test/parser.test.ts " +
  "test/fixtures/secret-names.json package.json package-lock.json tsconfig.json vite.config.ts .eslintrc.json " +
  ".gitignore .npmignore .dockerignore .editorconfig .env.example .env.sample .github/workflows/ci.yml README.md " +
  "CHANGELOG.md docs/guide.md docs/rm-rf.md Makefile Dockerfile docker-compose.yml scripts/deploy.sh " +
  "scripts/postinstall.mjs migrations/0007_drop_unused_table.sql db/schema.sql app/models/user.rb " +
  "app/views/users/show.html.erb lib/tasks/cleanup.rake config/routes.rb cmd/server/main.go go.mod internal/etc/etc.go " +
  "Cargo.toml src/main.rs build.rs pyproject.toml requirements.txt app/settings.py tests/test_shell.py " +
  "notebooks/analysis.ipynb terraform/main.tf charts/app/values.yaml k8s/deployment.yaml include/dev/null.h " +
  "usr/share/example.txt bin/tool etc/app.conf home/page.html a/b/../c.ts";

export interface Edit {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, string>>;
}

/** Returns edits as Claude Code sends them. The path is absolute in every second edit. */
export function agentEdits(project: string): Edit[] {
  return FILES.split(" ").flatMap((file, at): Edit[] => {
    const file_path = at % 2 === 0 ? `${project}/${file}` : file;
    if (file.endsWith(".ipynb")) {
      return [{ tool_name: "NotebookEdit", tool_input: { notebook_path: file_path, new_source: "print('rm -rf /')" } }];
    }
    return [
      { tool_name: "Write", tool_input: { file_path, content: "# rm -rf / is not run here\n" } },
      { tool_name: "Edit", tool_input: { file_path, old_string: "old", new_string: "sudo rm -rf / $(x" } },
      { tool_name: "Read", tool_input: { file_path } },
    ];
  });
}
