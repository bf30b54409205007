// Streams of wide characters, which have no models.
#include <iostream>
#include <sstream>
#include <string>

int main() {
  std::string word;
  std::cin >> word;
  std::wstring wide(word.begin(), word.end());
  std::wistringstream in(wide);
  int number = 0;
  in >> number;
  std::wcin >> wide;
  return number == 7;
}
