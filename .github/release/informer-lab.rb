class InformerLab < Formula
  desc "Learn client-go's informers by running them, and test operators in memory"
  homepage "https://github.com/informer-lab/informer-lab"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/informer-lab/informer-lab/releases/download/v@VERSION@/informer-lab-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/informer-lab/informer-lab/releases/download/v@VERSION@/informer-lab-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/informer-lab/informer-lab/releases/download/v@VERSION@/informer-lab-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/informer-lab/informer-lab/releases/download/v@VERSION@/informer-lab-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "informer-lab"
    generate_completions_from_executable(bin/"informer-lab", "completions")
    man1.mkpath
    system bin/"informer-lab", "man", man1
  end

  test do
    assert_match "Deleted : nettool : Running", shell_output("#{bin}/informer-lab reflector --known-objects")
  end
end
